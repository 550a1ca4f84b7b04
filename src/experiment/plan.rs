//! From an experiment file to cells that can be run: one scenario per variant and sweep point.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::calibrations::Calibrations;
use super::expectation::{expectations, measure};
use super::folder::{folder_of, shortest};
use super::input::inputs;
use super::load::{Place, Surroundings, Traces};
use super::notes::Notes;
use super::planned::{Experiment, Options, PlannedCell, PlannedPoint};
use super::point::{Point, points};
use super::replicate::{Precision, Replications};
use super::settings::{Settings, apply};
use crate::cost::CostModel;
use crate::import::kubernetes::{Model, VariantOverrides, build};
use crate::import::manifests::{Manifests, Object, load_model};
use crate::import::own::{Own, load_experiment};
use crate::scenario::problem::{Problem, Problems};
use crate::scenario::spec::{
    ExperimentSpec, LoadOverrideSpec, LoadSpec, OverridePath, ReplicationsSpec, VariantSpec,
};
use crate::units::{SimDuration, SimTime};
use crate::workload::Load;

/// The key of a sweep or a variant that names a calibration.
const CALIBRATION: &str = "calibration";

/// Name of the only variant of an experiment that names none.
const AS_IT_IS: &str = "model";

/// By what `quick` divides the length of a run.
const QUICK_DIVISOR: u64 = 10;

/// Replications of a quick run, at most.
const QUICK_REPLICATIONS: usize = 3;

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
    if problems.has_errors() {
        problems.sort();
        return Err(problems);
    }
    Planner::new(&own, &folder, objects, options).plan(problems)
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
    calibrations: Calibrations<'a>,
    options: &'a Options,
    warm_up: SimDuration,
    duration: SimDuration,
    variants: Vec<VariantSpec>,
    traces: Traces,
    notes: Notes,
    problems: Vec<Problem>,
}

impl<'a> Planner<'a> {
    fn new(
        own: &'a Own<ExperimentSpec>,
        folder: &'a Path,
        objects: Vec<Object>,
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
            calibrations: Calibrations::new(spec, folder, &objects),
            objects,
            options,
            warm_up: shortened(spec.warm_up),
            duration: shortened(spec.duration).max(SimDuration::from_nanos(1)),
            variants,
            traces: Traces::default(),
            notes: Notes::default(),
            problems: Vec::new(),
        }
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
        if let Some(sentence) = self.calibrations.assumption() {
            self.notes.assume(sentence);
        }
        let cost_files = self.calibrations.files();
        let files = self.objects.iter().chain([&self.own.object]).map(|object| object.node.file());
        let files = files.chain(&cost_files).chain(self.traces.files());
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
        let loads = self.loads(variant, point, model);
        let costs = self.costs(variant, point);
        let scenario = model.clone().into_scenario(loads?, costs?, self.warm_up, self.duration);
        Some(PlannedCell { variant: self.variants[variant].name.clone(), scenario })
    }

    /// The cluster as `variant` wants it; none after noting what is wrong.
    fn model(&mut self, variant: usize, settings: &Settings) -> Option<Model> {
        let mut objects = self.objects.clone();
        let refused = apply(settings, &self.own.object, &mut objects);
        self.refuse(refused);
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

    /// What everything costs at `point`: what the point says, else the variant, else the file.
    fn costs(&mut self, variant: usize, point: &Point<'_>) -> Option<Arc<CostModel>> {
        let of_point = point.values().find(|(axis, ..)| axis.key == CALIBRATION);
        let of_variant = self.variants[variant].set.get(CALIBRATION);
        let named = match (of_point, of_variant) {
            (Some((.., name)), _) | (None, Some(name)) => name.as_str(),
            (None, None) => return self.calibrations.own(&mut self.problems),
        };
        let Some(name) = named else {
            let path = format!("spec.variants[{variant}].set.{CALIBRATION}");
            let sentence = "must be the name or path of a calibration";
            self.refuse(vec![Problem::statement(path, sentence)]);
            return None;
        };
        self.calibrations.named(name, &mut self.problems)
    }

    fn loads(&mut self, variant: usize, point: &Point<'_>, model: &Model) -> Option<Vec<Load>> {
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
