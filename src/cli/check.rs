//! `meshsim check`: how much of a model is understood.

use std::path::Path;

use serde::Serialize;

use super::arguments::CheckArguments;
use super::terminal::{self, print};
use super::{Failure, Outcome};
use crate::experiment::{self, Options};
use crate::import::kubernetes::{Coverage, VariantOverrides, build};
use crate::import::manifests::{Manifests, load_models};
use crate::scenario::problem::{Problem, Problems, Severity};
use crate::scenario::spec::{ExperimentSpec, Spec};

/// What `--json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Findings<'a> {
    complete: bool,
    #[serde(flatten)]
    coverage: &'a Coverage,
    skipped: Vec<SkippedFile<'a>>,
    problems: Vec<Finding>,
}

#[derive(Serialize)]
struct SkippedFile<'a> {
    place: &'a str,
    reason: &'a str,
}

#[derive(Serialize)]
struct Finding {
    severity: &'static str,
    place: Option<String>,
    object: Option<String>,
    message: String,
}

/// Checks a model, or the experiments among what is given.
pub(super) fn check(arguments: &CheckArguments) -> Result<Outcome, Failure> {
    let paths: Vec<&Path> = arguments.models.iter().map(AsRef::as_ref).collect();
    let manifests = load_models(&paths);
    if manifests.problems.has_errors() {
        return Err(manifests.problems.into());
    }
    let is_experiment = |kind: &str| kind == ExperimentSpec::KIND;
    if manifests.objects.iter().any(|object| is_experiment(&object.kind)) {
        check_experiments(&manifests)?;
    }
    if manifests.objects.iter().all(|object| is_experiment(&object.kind)) {
        return Ok(Outcome::Fine);
    }
    let model = build(&manifests.objects, VariantOverrides::default())?;
    let is_complete = model.coverage.is_complete() && manifests.problems.is_empty();
    if arguments.json {
        print(&json(&model.coverage, &manifests, is_complete)?)?;
    } else {
        print(&text(&model.coverage, &manifests))?;
    }
    Ok(if arguments.strict && !is_complete { Outcome::Failed } else { Outcome::Fine })
}

/// Reads each experiment with its model and calibration.
fn check_experiments(manifests: &Manifests) -> Result<(), Failure> {
    let mut problems = Problems::default();
    for object in manifests.objects.iter().filter(|object| object.kind == ExperimentSpec::KIND) {
        let file = object.node.file().name();
        match experiment::load(Path::new(file), &Options::default()) {
            Ok(experiment) => {
                let cells: usize = experiment.points.iter().map(|point| point.cells.len()).sum();
                print(&format!("{file}: {} can be run, {cells} cells\n", experiment.name))?;
            }
            Err(found) => problems.extend(found),
        }
    }
    problems.or_ok(()).map_err(Failure::from)
}

fn text(coverage: &Coverage, manifests: &Manifests) -> String {
    let mut text = coverage.to_string();
    if !manifests.skipped.is_empty() {
        text.push_str("Files left out\n");
        for skipped in &manifests.skipped {
            text.push_str(&format!("  {}  {}\n", skipped.place, skipped.reason));
        }
        text.push('\n');
    }
    if !manifests.problems.is_empty() {
        text.push_str(&manifests.problems.render(terminal::has_colors()));
        text.push('\n');
    }
    text
}

fn json(
    coverage: &Coverage,
    manifests: &Manifests,
    complete: bool,
) -> Result<String, serde_json::Error> {
    let skipped = manifests.skipped.iter();
    let findings = Findings {
        complete,
        coverage,
        skipped: skipped
            .map(|skipped| SkippedFile { place: &skipped.place, reason: &skipped.reason })
            .collect(),
        problems: manifests.problems.iter().map(finding).collect(),
    };
    serde_json::to_string_pretty(&findings).map(|text| text + "\n")
}

fn finding(problem: &Problem) -> Finding {
    Finding {
        severity: match problem.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        place: problem.location.as_ref().map(ToString::to_string),
        object: problem.object.clone(),
        message: problem.sentence(),
    }
}
