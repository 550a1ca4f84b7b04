//! Our own kinds among the objects: read and checked, all problems with their places.

use std::path::Path;

use super::manifests::{Manifests, Object, load_model};
use super::yaml::{Reading, find, show_path, split_path};
use crate::cost::CalibrationSpec;
use crate::scenario::problem::{Problem, Problems};
use crate::scenario::spec::{
    API_VERSION, BehaviorSpec, ClusterSpec, Document, ExperimentSpec, Spec,
};

/// An object of one of our kinds, as written.
#[derive(Clone, Debug)]
pub struct Own<S> {
    /// `metadata.name`; empty if there is none.
    pub name: String,
    /// `metadata.namespace`.
    pub namespace: Option<String>,
    /// What it says.
    pub spec: S,
    /// The object it was read from, to point at.
    pub object: Object,
}

/// All objects of our kinds in a model, in its order.
#[derive(Clone, Debug, Default)]
pub struct OwnObjects {
    /// `kind: Cluster`.
    pub clusters: Vec<Own<ClusterSpec>>,
    /// `kind: Behavior`.
    pub behaviors: Vec<Own<BehaviorSpec>>,
    /// `kind: Experiment`.
    pub experiments: Vec<Own<ExperimentSpec>>,
    /// `kind: Calibration`.
    pub calibrations: Vec<Own<CalibrationSpec>>,
}

/// Reads and checks the objects of our kinds; others are left alone.
pub fn read_own(objects: &[Object], problems: &mut Problems) -> OwnObjects {
    let mut own = OwnObjects::default();
    for object in objects.iter().filter(|object| is_own(object)) {
        match object.kind.as_str() {
            _ if object.api_version != API_VERSION => {
                problems.push(unknown(object, "apiVersion", &object.api_version, API_VERSION));
            }
            ClusterSpec::KIND => own.clusters.extend(read(object, problems)),
            BehaviorSpec::KIND => own.behaviors.extend(read(object, problems)),
            ExperimentSpec::KIND => own.experiments.extend(read(object, problems)),
            CalibrationSpec::KIND => own.calibrations.extend(read(object, problems)),
            kind => {
                let kinds = "one of our kinds: Cluster, Behavior, Experiment, Calibration";
                problems.push(unknown(object, "kind", kind, kinds));
            }
        }
    }
    own
}

/// Whether `object` is of one of our kinds, or means to be.
pub fn is_own(object: &Object) -> bool {
    object.group == "meshsim"
}

fn unknown(object: &Object, path: &str, found: &str, rule: &str) -> Problem {
    object.locate(Problem::violation(path, format!("`{found}`"), rule))
}

fn read<S: Spec>(object: &Object, problems: &mut Problems) -> Option<Own<S>> {
    let reading = object.read::<Document<S>>();
    if let Some(document) = &reading.value {
        let mut found = Problems::default();
        document.spec.check("spec", &mut found);
        problems.extend(found.into_iter().filter_map(|problem| locate(object, &reading, problem)));
    }
    let document = reading.unload(problems)?;
    let (name, namespace) = (object.name.clone(), object.namespace.clone());
    Some(Own { name, namespace, spec: document.spec, object: object.clone() })
}

/// `problem` with its place in the file, and its value as written there; none if it follows from
/// what could not be read.
fn locate<T>(object: &Object, reading: &Reading<T>, mut problem: Problem) -> Option<Problem> {
    let path = split_path(&problem.path).unwrap_or_default();
    let path = reading.path_in_file(&path)?;
    problem.path = show_path(&path);
    if let (Some(value), Some(node)) = (&mut problem.value, find(&object.node, &path))
        && node.text().is_some()
    {
        *value = node.shown();
    }
    Some(object.locate(problem))
}

/// Reads the one experiment in the file at `path` (`-` for standard input); a folder stands for its
/// `experiment.yaml`.
///
/// # Errors
///
/// Everything that is wrong with it, and if there is no experiment or more than one.
pub fn load_experiment(path: &Path) -> Result<Own<ExperimentSpec>, Problems> {
    let file = if path.is_dir() { path.join("experiment.yaml") } else { path.to_owned() };
    let Manifests { objects, mut problems, .. } = load_model(&file);
    let mut own = read_own(&objects, &mut problems);
    if let [_, second, ..] = own.experiments.as_slice() {
        let problem = Problem::statement("", "is a second experiment; one file holds one");
        problems.push(second.object.locate(problem));
    }
    if own.experiments.is_empty() && !problems.has_errors() {
        let sentence = "holds no object with `kind: Experiment`";
        problems.push(Problem::statement(file.display().to_string(), sentence));
    }
    if problems.has_errors() {
        problems.sort();
        return Err(problems);
    }
    Ok(own.experiments.swap_remove(0))
}
