//! From an experiment file to cells that can be run: one scenario per variant and sweep point.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::expectation::{Expectation, expectations, measure};
use super::input::inputs;
use super::load::{Place, Surroundings, Traces};
use super::point::{Point, points};
use super::replicate::{Precision, Replications};
use super::result::Input;
use super::settings::{Settings, apply};
use crate::cost::{CalibrationSpec, CostModel};
use crate::import::calibration::{built_in_calibration, load_calibration};
use crate::import::kubernetes::{Coverage, Effect, Model, VariantOverrides, build};
use crate::import::manifests::{Manifests, Object, load_model};
use crate::import::own::{Own, is_own, load_experiment};
use crate::scenario::Scenario;
use crate::scenario::problem::{Problem, Problems, SourceFile};
use crate::scenario::spec::{
    ExperimentSpec, LoadOverrideSpec, LoadSpec, OverridePath, ReplicationsSpec, Spec, VariantSpec,
};
use crate::units::{SimDuration, SimTime};

/// Name of the only variant of an experiment that names none.
const AS_IT_IS: &str = "model";

/// By what `quick` divides the length of a run.
const QUICK_DIVISOR: u64 = 10;

/// Replications of a quick run, at most.
const QUICK_REPLICATIONS: usize = 3;

/// How to run an experiment otherwise than its file says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Seed of all random streams.
    pub seed: Option<u64>,
    /// Exactly so many replications, at least 1.
    pub replications: Option<usize>,
    /// A tenth of the warm-up and the duration, and at most 3 replications.
    pub quick: bool,
}

/// An experiment, checked and ready to run.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// `metadata.name`: letters, digits, dashes and dots, fit for the name of a folder.
    pub name: String,
    /// What it is to answer.
    pub question: String,
    /// Seed of all random streams.
    pub seed: u64,
    /// How often each run is repeated.
    pub replications: Replications,
    /// The sweep points in order; at least one.
    pub points: Vec<PlannedPoint>,
    /// The files that were read.
    pub inputs: Vec<Input>,
    /// What is taken for granted or left out, one sentence each.
    pub assumptions: Vec<String>,
    /// What will not run as the user may think, one sentence each.
    pub warnings: Vec<String>,
    pub(super) expectations: Vec<Expectation>,
}

/// All variants at one sweep point.
#[derive(Clone, Debug)]
pub struct PlannedPoint {
    /// `load.rate=200;…`; empty without a sweep.
    pub name: String,
    /// One per variant, the baseline first.
    pub cells: Vec<PlannedCell>,
}

/// One variant at one sweep point.
#[derive(Clone, Debug)]
pub struct PlannedCell {
    /// Name of the variant.
    pub variant: String,
    /// What is simulated.
    pub scenario: Scenario,
}

/// Reads the experiment at `path` (a folder with `experiment.yaml`, a file, or `-`) with its
/// model and calibration.
///
/// # Errors
///
/// Everything that is wrong with any of them, all at once as far as it can be told.
pub fn load(path: &Path, options: &Options) -> Result<Experiment, Problems> {
    let own = load_experiment(path)?;
    let folder = folder_of(&own.object);
    let model = shortest(folder.join(&own.spec.model));
    let Manifests { objects, mut problems, .. } = load_model(&model);
    check_name(&own, &mut problems);
    let calibration = calibration_file(&own.spec, &folder, &objects);
    let costs = match &calibration {
        Some(file) => load_calibration(file),
        None => built_in_calibration(),
    };
    let costs = costs.map_err(|found| problems.extend(found)).ok();
    let Some(costs) = costs.filter(|_| !problems.has_errors()) else {
        problems.sort();
        return Err(problems);
    };
    let mut planner = Planner::new(&own, &folder, objects, Arc::new(costs), options);
    planner.name_costs(calibration.as_deref());
    planner.plan(problems)
}

/// The calibration that the experiment names, else the one that lies in its model.
fn calibration_file(spec: &ExperimentSpec, folder: &Path, objects: &[Object]) -> Option<PathBuf> {
    let is_calibration = |object: &&Object| is_own(object) && object.kind == CalibrationSpec::KIND;
    let in_model = || objects.iter().find(is_calibration).map(|o| o.node.file().name().into());
    spec.calibration.as_ref().map(|file| shortest(folder.join(file))).or_else(in_model)
}

/// The folder of the file that `object` stands in.
fn folder_of(object: &Object) -> PathBuf {
    Path::new(object.node.file().name()).parent().unwrap_or(Path::new("")).to_owned()
}

/// The path without `FOLDER/..`, for messages, as long as that leads to the same place: a folder
/// may be a link.
fn shortest(path: PathBuf) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        let goes_back = part == Component::ParentDir
            && matches!(short.components().next_back(), Some(Component::Normal(_)));
        if goes_back {
            short.pop();
        } else {
            short.push(part);
        }
    }
    let is_same = match (short.canonicalize(), path.canonicalize()) {
        (Ok(short), Ok(path)) => short == path,
        _ => false,
    };
    if is_same && !short.as_os_str().is_empty() { short } else { path }
}

/// Results go into a folder of this name.
fn check_name(own: &Own<ExperimentSpec>, problems: &mut Problems) {
    let is_fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    let holds = own.name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && own.name.len() <= 100
        && own.name.chars().all(is_fit);
    if !holds {
        let rule = "a name of letters, digits and dashes, which its results are filed under";
        let shown = if own.name.is_empty() { "empty".into() } else { format!("`{}`", own.name) };
        problems.push(own.object.locate(Problem::violation("metadata.name", shown, rule)));
    }
}

struct Planner<'a> {
    own: &'a Own<ExperimentSpec>,
    folder: &'a Path,
    objects: Vec<Object>,
    costs: Arc<CostModel>,
    cost_file: Option<Arc<SourceFile>>,
    options: &'a Options,
    warm_up: SimDuration,
    duration: SimDuration,
    variants: Vec<VariantSpec>,
    traces: Traces,
    notes: Notes,
    problems: Vec<Problem>,
}

/// Sentences about the models, each once.
#[derive(Default)]
struct Notes {
    assumptions: Vec<String>,
    warnings: Vec<String>,
    seen: BTreeSet<String>,
}

impl<'a> Planner<'a> {
    fn new(
        own: &'a Own<ExperimentSpec>,
        folder: &'a Path,
        objects: Vec<Object>,
        costs: Arc<CostModel>,
        options: &'a Options,
    ) -> Self {
        let spec = &own.spec;
        let shortened = |length: SimDuration| {
            if options.quick { length / QUICK_DIVISOR } else { length }
        };
        let as_it_is = VariantSpec {
            name: AS_IT_IS.to_owned(),
            data_plane: None,
            waypoint: None,
            set: BTreeMap::new(),
            load: None,
        };
        let variants =
            if spec.variants.is_empty() { vec![as_it_is] } else { spec.variants.clone() };
        Self {
            own,
            folder,
            objects,
            costs,
            cost_file: None,
            options,
            warm_up: shortened(spec.warm_up),
            duration: shortened(spec.duration).max(SimDuration::from_nanos(1)),
            variants,
            traces: Traces::default(),
            notes: Notes::default(),
            problems: Vec::new(),
        }
    }

    /// Tells which figures the costs are: the file's, or the built-in ones.
    fn name_costs(&mut self, file: Option<&Path>) {
        let Some(file) = file else {
            self.notes.assume(format!(
                "Costs are those of the built-in calibration {}, because the experiment names none.",
                self.costs.name
            ));
            return;
        };
        let text = std::fs::read_to_string(file).unwrap_or_default();
        self.cost_file = Some(SourceFile::new(file.display().to_string(), text));
    }

    fn plan(mut self, mut problems: Problems) -> Result<Experiment, Problems> {
        let spec = &self.own.spec;
        let mut models = BTreeMap::new();
        let planned: Vec<PlannedPoint> = points(&spec.sweep)
            .iter()
            .map(|point| PlannedPoint {
                name: point.name(),
                cells: (0..self.variants.len())
                    .filter_map(|variant| self.cell(variant, point, &mut models))
                    .collect(),
            })
            .collect();
        problems.extend(without_repetitions(self.problems));
        let files = self.objects.iter().chain([&self.own.object]).map(|object| object.node.file());
        let files = files.chain(&self.cost_file).chain(self.traces.files());
        problems.or_ok(Experiment {
            name: self.own.name.clone(),
            question: spec.question.clone(),
            seed: self.options.seed.unwrap_or(spec.seed),
            replications: replications(&spec.replications, self.options),
            points: planned,
            inputs: inputs(files),
            assumptions: self.notes.assumptions,
            warnings: self.notes.warnings,
            expectations: expectations(spec, &self.variants[0].name),
        })
    }

    fn cell(
        &mut self,
        variant: usize,
        point: &Point<'_>,
        models: &mut BTreeMap<(usize, String), Option<Model>>,
    ) -> Option<PlannedCell> {
        let settings = Settings::of(&self.variants[variant], variant, point);
        let key = (variant, settings.key());
        if !models.contains_key(&key) {
            let model = self.model(variant, &settings);
            models.insert(key.clone(), model);
        }
        let model = models[&key].as_ref()?;
        let loads = self.loads(variant, point, model)?;
        let scenario = model.clone().into_scenario(
            loads,
            Arc::clone(&self.costs),
            self.warm_up,
            self.duration,
        );
        Some(PlannedCell { variant: self.variants[variant].name.clone(), scenario })
    }

    /// The cluster as `variant` wants it; none after noting what is wrong.
    fn model(&mut self, variant: usize, settings: &Settings) -> Option<Model> {
        let mut objects = self.objects.clone();
        let set = apply(settings, &mut objects);
        self.refuse(set);
        match build(&objects, VariantOverrides::from(&self.variants[variant])) {
            Ok(model) => {
                self.refuse(settings.without_effect(&model.coverage));
                self.notes.take(&model.coverage);
                Some(model)
            }
            Err(problems) => {
                self.problems.extend(problems);
                None
            }
        }
    }

    fn loads(
        &mut self,
        variant: usize,
        point: &Point<'_>,
        model: &Model,
    ) -> Option<Vec<crate::workload::Load>> {
        let surroundings = Surroundings {
            model,
            namespace: self.own.namespace.as_deref(),
            folder: self.folder,
            end: SimTime::ZERO + self.warm_up + self.duration,
        };
        let change = self.variants[variant].load.as_ref();
        let mut found = Problems::default();
        let mut loads = Vec::new();
        for (index, written) in self.own.spec.load.iter().enumerate() {
            let spec = changed(written, change, point, index);
            let place = Place { load: index, variant: change.map(|change| (variant, change)) };
            let load = surroundings.load(&spec, &place, &mut self.traces, &mut found);
            for sentence in load.iter().flat_map(|load| surroundings.assumptions(&spec, load)) {
                self.notes.assume(sentence);
            }
            loads.push(load);
        }
        self.refuse(found.into_iter().collect());
        loads.into_iter().collect()
    }

    /// Adds problems, with their places in the experiment's file where they have none.
    fn refuse(&mut self, problems: Vec<Problem>) {
        let located = problems.into_iter().map(|problem| match problem.location {
            Some(_) => problem,
            None => self.own.object.locate(problem),
        });
        self.problems.extend(located);
    }
}

/// The load as a variant, then the sweep point changes it.
fn changed(
    written: &LoadSpec,
    change: Option<&LoadOverrideSpec>,
    point: &Point<'_>,
    index: usize,
) -> LoadSpec {
    let mut load = change.map_or_else(|| written.clone(), |change| written.with(change));
    for (axis, _, value) in point.values() {
        let Ok(OverridePath::Load { index: meant, field }) = axis.key.parse() else { continue };
        // Values were checked with the file.
        if let Ok(change) = LoadOverrideSpec::of_field(&field, value)
            && meant.is_none_or(|meant| meant == index)
        {
            load = load.with(&change);
        }
    }
    load
}

fn replications(spec: &ReplicationsSpec, options: &Options) -> Replications {
    if let Some(count) = options.replications {
        return Replications::exactly(count.max(1));
    }
    let min = spec.min.max(1) as usize;
    if options.quick {
        return Replications::exactly(min.min(QUICK_REPLICATIONS));
    }
    let until = spec.until.and_then(|until| {
        let measure = measure(until.metric, until.statistic, "")?;
        Some(Precision { measure, within: until.within })
    });
    Replications { min, max: (spec.most() as usize).max(min), until }
}

/// Variants and points share most of what may be wrong with them.
fn without_repetitions(problems: Vec<Problem>) -> Vec<Problem> {
    let mut seen = BTreeSet::new();
    let key = |problem: &Problem| {
        let place = problem.location.as_ref().map(ToString::to_string);
        (place, problem.object.clone(), problem.sentence())
    };
    problems.into_iter().filter(|problem| seen.insert(key(problem))).collect()
}

impl Notes {
    fn take(&mut self, coverage: &Coverage) {
        for assumption in &coverage.assumptions {
            self.assume(format!(
                "{}: {}, because {}.",
                assumption.subject, assumption.assumed, assumption.because
            ));
        }
        for kind in coverage.ignored_objects.iter().filter(|kind| kind.effect != Effect::None) {
            self.assume(format!(
                "{} {} left out ({}): {}.",
                kind.kind,
                if kind.objects.len() == 1 { "is" } else { "objects are" },
                kind.objects.join(", "),
                kind.why
            ));
        }
        for field in coverage.ignored_fields.iter().filter(|field| field.effect != Effect::None) {
            self.assume(format!("{} {} is left out: {}.", field.kind, field.path, field.why));
        }
        for warning in &coverage.warnings {
            let sentence = format!("{} {}", warning.object, warning.message);
            if self.seen.insert(sentence.clone()) {
                self.warnings.push(sentence);
            }
        }
    }

    fn assume(&mut self, sentence: String) {
        if self.seen.insert(sentence.clone()) {
            self.assumptions.push(sentence);
        }
    }
}
