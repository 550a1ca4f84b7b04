//! The cost models that the cells of an experiment use, each read once.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::folder::shortest;
use crate::cost::{CalibrationSpec, CostModel};
use crate::import::calibration::{built_in_calibration, load_calibration};
use crate::import::manifests::Object;
use crate::import::own::is_own;
use crate::scenario::problem::{Problem, Problems, SourceFile};
use crate::scenario::spec::{ExperimentSpec, Spec};

/// The cost models by file; `None` is the built-in one.
pub(super) struct Calibrations<'a> {
    folder: &'a Path,
    own: Option<PathBuf>,
    read: BTreeMap<Option<PathBuf>, Option<Arc<CostModel>>>,
}

impl<'a> Calibrations<'a> {
    /// Those of an experiment in `folder`. Its own is the one that it names, else the one that
    /// lies in its model, else the built-in one.
    pub(super) fn new(spec: &ExperimentSpec, folder: &'a Path, objects: &[Object]) -> Self {
        let is_meant = |object: &&Object| is_own(object) && object.kind == CalibrationSpec::KIND;
        let in_model = objects.iter().find(is_meant).map(|o| PathBuf::from(o.node.file().name()));
        let named = spec.calibration.as_ref().map(|file| shortest(folder.join(file)));
        Self { folder, own: named.or(in_model), read: BTreeMap::new() }
    }

    /// The experiment's own; none after adding to `problems`.
    pub(super) fn own(&mut self, problems: &mut Vec<Problem>) -> Option<Arc<CostModel>> {
        self.get(self.own.clone(), problems)
    }

    /// The one that a sweep or a variant names: a path, or the name of a file beside the
    /// experiment's own.
    pub(super) fn named(
        &mut self,
        name: &str,
        problems: &mut Vec<Problem>,
    ) -> Option<Arc<CostModel>> {
        let is_path = name.contains('/') || name.ends_with(".yaml") || name.ends_with(".yml");
        let beside = self.own.as_deref().and_then(Path::parent).unwrap_or(self.folder);
        let file = match is_path {
            true => self.folder.join(name),
            false => beside.join(format!("{name}.yaml")),
        };
        self.get(Some(shortest(file)), problems)
    }

    fn get(
        &mut self,
        file: Option<PathBuf>,
        problems: &mut Vec<Problem>,
    ) -> Option<Arc<CostModel>> {
        let read = self.read.entry(file).or_insert_with_key(|file| {
            let costs = file.as_deref().map_or_else(built_in_calibration, load_calibration);
            costs.map_err(|found: Problems| problems.extend(found)).ok().map(Arc::new)
        });
        read.clone()
    }

    /// The files that were read.
    pub(super) fn files(&self) -> Vec<Arc<SourceFile>> {
        let file = |path: &PathBuf| {
            let text = fs::read_to_string(path).unwrap_or_default();
            SourceFile::new(path.display().to_string(), text)
        };
        self.read.keys().flatten().map(file).collect()
    }

    /// That the built-in figures were used, if they were.
    pub(super) fn assumption(&self) -> Option<String> {
        let costs = self.read.get(&None)?.as_ref()?;
        Some(format!(
            "Costs are those of the built-in calibration {}, because the experiment names none.",
            costs.name
        ))
    }
}
