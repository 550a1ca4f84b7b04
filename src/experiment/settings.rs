//! Fields of manifests that a variant or a sweep point sets.

use serde_json::Value;

use super::point::Point;
use crate::import::kubernetes::Coverage;
use crate::import::manifests::Object;
use crate::import::overrides::set_field;
use crate::import::yaml::{locate, split_path};
use crate::scenario::problem::Problem;
use crate::scenario::spec::{OverridePath, VariantSpec};

/// The fields to set, in order.
pub(super) struct Settings {
    list: Vec<Setting>,
}

struct Setting {
    /// Where it is written in the experiment: `spec.sweep["…"]`.
    written_at: String,
    path: OverridePath,
    value: Value,
}

impl Settings {
    /// What `variant`, the `index`-th, and then `point` set.
    pub(super) fn of(variant: &VariantSpec, index: usize, point: &Point<'_>) -> Self {
        let of_variant = variant.set.iter().map(|(key, value)| {
            (format!("spec.variants[{index}].set[\"{key}\"]"), key.as_str(), value)
        });
        let of_point = point.values().map(|(axis, at, value)| {
            (format!("spec.sweep[\"{0}\"][{at}]", axis.key), axis.key.as_str(), value)
        });
        let setting = |(written_at, key, value): (String, &str, &Value)| {
            let path: OverridePath = key.parse().ok()?;
            let is_field = matches!(path, OverridePath::Object { .. });
            is_field.then(|| Setting { written_at, path, value: value.clone() })
        };
        Self { list: of_variant.chain(of_point).filter_map(setting).collect() }
    }

    /// Equal keys, equal changes.
    pub(super) fn key(&self) -> String {
        let shown = self.list.iter().map(|setting| format!("{:?}={}", setting.path, setting.value));
        shown.collect::<Vec<_>>().join("\n")
    }

    /// That a field is set which nothing reads: what is compared would not differ.
    pub(super) fn without_effect(&self, coverage: &Coverage) -> Vec<Problem> {
        let is_ignored = |setting: &&Setting| {
            let OverridePath::Object { kind, path, .. } = &setting.path else { return false };
            let path = generic(path);
            let from_spec = format!("spec.{path}");
            let covers = |ignored: &str| {
                [&path, &from_spec].into_iter().any(|path| {
                    path.strip_prefix(ignored)
                        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
                })
            };
            coverage.ignored_objects.iter().any(|ignored| ignored.kind == *kind)
                || coverage
                    .ignored_fields
                    .iter()
                    .any(|ignored| ignored.kind == *kind && covers(&ignored.path))
        };
        let problem = |setting: &Setting| {
            let sentence = "sets a field that is not modelled, so it would change nothing";
            Problem::statement(&setting.written_at, sentence)
                .hint("`meshsim check` lists what is modelled")
        };
        self.list.iter().filter(is_ignored).map(problem).collect()
    }
}

/// `http[0].route` as `http[].route`.
fn generic(path: &str) -> String {
    let mut parts = path.split('[');
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        shown.push('[');
        shown.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    shown
}

/// Sets the fields in `objects`, as `experiment` writes them; answers with what is wrong.
pub(super) fn apply(
    settings: &Settings,
    experiment: &Object,
    objects: &mut [Object],
) -> Vec<Problem> {
    let mut refused = Vec::new();
    for setting in &settings.list {
        let written_at = split_path(&setting.written_at).unwrap_or_default();
        let origin = locate(&experiment.node, &written_at);
        if let Err(problem) = set_field(objects, &setting.path, &setting.value, &origin) {
            refused.push(with_known_names(*problem, &setting.path, objects));
        }
    }
    refused
}

/// Says which objects of the kind there are.
fn with_known_names(problem: Problem, path: &OverridePath, objects: &[Object]) -> Problem {
    let OverridePath::Object { kind, .. } = path else { return problem };
    let of_kind = objects.iter().filter(|object| object.kind == *kind);
    let labels: Vec<String> = of_kind.map(Object::label).collect();
    match labels.as_slice() {
        [] => problem.hint(format!("the model has no {kind}")),
        labels => problem.hint(format!("the model has {}", labels.join(", "))),
    }
}
