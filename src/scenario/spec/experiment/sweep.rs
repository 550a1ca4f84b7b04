//! Values to be tried, and the names of what they change.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::super::check::Check;
use super::LoadOverrideSpec;

/// Points beyond this are taken for a slip.
const MOST_POINTS: usize = 10_000;

/// Fields of a load that a sweep may change.
pub(super) const LOAD_FIELDS: [&str; 8] = [
    "rate",
    "connections",
    "arrivals",
    "timeout",
    "keepAlive",
    "catchUp",
    "reopenAfterError",
    "requestSize",
];

/// All axes, in the order of the file; every combination is a sweep point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepSpec {
    /// The axes; the last varies fastest.
    pub axes: Vec<SweepAxis>,
}

/// What is changed, and the values it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepAxis {
    /// As written: `load.rate`, `DestinationRule/payment:trafficPolicy.retryBudget.percent`.
    pub key: String,
    /// Its values.
    pub values: Vec<Value>,
}

/// What a key of `sweep` or `set` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OverridePath {
    /// A field of one load, or of every load.
    Load {
        /// Which load, from 0; every load if left out.
        index: Option<usize>,
        /// The field: `rate`.
        field: String,
    },
    /// The calibration: the name of a file beside the experiment's own, or a path to it.
    Calibration,
    /// A field of an object of the model.
    Object {
        /// The kind: `DestinationRule`.
        kind: String,
        /// The namespace, if given.
        namespace: Option<String>,
        /// The name: `payment`.
        name: String,
        /// The path, from the object or from its `spec`: `trafficPolicy.retryBudget.percent`.
        path: String,
    },
}

/// Why a text names nothing that can be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidOverridePath;

impl fmt::Display for InvalidOverridePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "must be `load.FIELD`, `load[N].FIELD`, `calibration`, `KIND/NAME:PATH` or \
             `KIND/NAMESPACE/NAME:PATH`",
        )
    }
}

impl std::error::Error for InvalidOverridePath {}

impl FromStr for OverridePath {
    type Err = InvalidOverridePath;

    fn from_str(text: &str) -> Result<Self, InvalidOverridePath> {
        if text == "calibration" {
            return Ok(Self::Calibration);
        }
        load_path(text).or_else(|| object_path(text)).ok_or(InvalidOverridePath)
    }
}

fn load_path(text: &str) -> Option<OverridePath> {
    let rest = text.strip_prefix("load")?;
    let (index, field) = match rest.strip_prefix('[') {
        Some(rest) => {
            let (index, field) = rest.split_once("].")?;
            (Some(index.parse().ok()?), field)
        }
        None => (None, rest.strip_prefix('.')?),
    };
    LOAD_FIELDS.contains(&field).then(|| OverridePath::Load { index, field: field.to_owned() })
}

fn object_path(text: &str) -> Option<OverridePath> {
    let (object, path) = text.split_once(':')?;
    let mut parts = object.split('/');
    let kind = parts.next()?;
    let (namespace, name) = match (parts.next()?, parts.next()) {
        (name, None) => (None, name),
        (namespace, Some(name)) => (Some(namespace), name),
    };
    let is_kind = kind.starts_with(|c: char| c.is_ascii_uppercase())
        && kind.bytes().all(|b| b.is_ascii_alphanumeric());
    let is_complete = parts.next().is_none() && is_kind && !name.is_empty() && !path.is_empty();
    is_complete.then(|| OverridePath::Object {
        kind: kind.to_owned(),
        namespace: namespace.map(str::to_owned),
        name: name.to_owned(),
        path: path.to_owned(),
    })
}

impl<'de> Deserialize<'de> for SweepSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Axes)
    }
}

struct Axes;

impl<'de> Visitor<'de> for Axes {
    type Value = SweepSpec;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping such as `{load.rate: [200, 1000]}`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SweepSpec, A::Error> {
        let mut axes = Vec::new();
        while let Some((key, values)) = map.next_entry()? {
            axes.push(SweepAxis { key, values });
        }
        Ok(SweepSpec { axes })
    }
}

impl JsonSchema for SweepSpec {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Sweep".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Values to be tried, in all combinations.",
            "type": "object",
            "additionalProperties": {"type": "array", "minItems": 1},
        })
    }
}

impl SweepSpec {
    /// How many combinations there are: 1 without an axis.
    pub fn points(&self) -> usize {
        self.axes.iter().fold(1, |points, axis| points.saturating_mul(axis.values.len()))
    }

    /// The axis that `key` names: its whole key, or the end of one that no other axis ends with.
    pub fn axis(&self, key: &str) -> Option<&SweepAxis> {
        let is_end = |axis: &&SweepAxis| {
            let rest = axis.key.strip_suffix(key);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with(['.', ':']))
        };
        if let Some(axis) = self.axes.iter().find(|axis| axis.key == key) {
            return Some(axis);
        }
        let mut ends = self.axes.iter().filter(is_end);
        match (ends.next(), ends.next()) {
            (Some(axis), None) => Some(axis),
            _ => None,
        }
    }

    pub(super) fn check(&self, loads: usize, check: &mut Check<'_>) {
        for axis in &self.axes {
            let field = in_brackets(&axis.key);
            check_override(&axis.key, &axis.values, loads, check);
            check.require_that(!axis.values.is_empty(), &field, "must have at least one value");
            for (index, value) in axis.values.iter().enumerate() {
                let is_new = !axis.values[..index].contains(value);
                let rule = "a value of its own; it stands here twice";
                check.require(is_new, &format!("{field}[{index}]"), value, rule);
            }
        }
        let points = self.points();
        let rule = format!("at most {MOST_POINTS} combinations");
        check.require(points <= MOST_POINTS, "", format!("{points} combinations"), rule);
    }
}

/// A key as a step of a path: such keys hold dots and slashes.
fn in_brackets(key: &str) -> String {
    format!("[\"{key}\"]")
}

/// Requires `key`, which stands in the checked mapping, to name something that can be changed, and
/// `values` to be something that it can be changed to.
pub(super) fn check_override(key: &str, values: &[Value], loads: usize, check: &mut Check<'_>) {
    let field = in_brackets(key);
    match key.parse() {
        Ok(OverridePath::Load { index, field: load_field }) => {
            let index = index.unwrap_or(0);
            let rule = format!("one of the {loads} loads, counted from 0");
            check.require(index < loads.max(1), &field, format!("load {index}"), rule);
            for (position, value) in values.iter().enumerate() {
                let part = &mut check.part(&format!("{field}[{position}]"));
                check_load_value(&load_field, value, part);
            }
        }
        Ok(OverridePath::Calibration) => {
            for (position, value) in values.iter().enumerate() {
                let rule = "the name or path of a calibration";
                check.require(value.is_string(), &format!("{field}[{position}]"), value, rule);
            }
        }
        Ok(OverridePath::Object { .. }) => {}
        Err(InvalidOverridePath) if key.starts_with("load") => {
            let sentence = format!("is no field of a load; these are: {}", LOAD_FIELDS.join(", "));
            check.require_that(false, &field, sentence);
        }
        Err(error) => check.require_that(false, &field, error.to_string()),
    }
}

fn check_load_value(field: &str, value: &Value, check: &mut Check<'_>) {
    match LoadOverrideSpec::of_field(field, value) {
        Ok(change) => change.check_alone(check),
        Err(rule) => check.require(false, "", value, rule),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(kind: &str, namespace: Option<&str>, name: &str, path: &str) -> OverridePath {
        OverridePath::Object {
            kind: kind.into(),
            namespace: namespace.map(Into::into),
            name: name.into(),
            path: path.into(),
        }
    }

    #[test]
    fn keys_name_loads_or_fields_of_objects() {
        let load = |index| OverridePath::Load { index, field: "rate".into() };
        assert_eq!("load.rate".parse(), Ok(load(None)));
        assert_eq!("load[1].rate".parse(), Ok(load(Some(1))));
        assert_eq!(
            "VirtualService/payment:http[0].retries.attempts".parse(),
            Ok(object("VirtualService", None, "payment", "http[0].retries.attempts"))
        );
        assert_eq!("Gateway/a/b:x".parse(), Ok(object("Gateway", Some("a"), "b", "x")));
        for text in [
            "load",
            "load.color",
            "load[x].rate",
            "rate",
            "a/b:c",
            "A/b",
            "A/:c",
            "A/b/c/d:e",
            "A/b:",
        ] {
            assert!(text.parse::<OverridePath>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_axis_may_be_named_by_its_end_if_that_is_unique() {
        let axis = |key: &str| SweepAxis { key: key.into(), values: vec![1.into(), 2.into()] };
        let sweep = SweepSpec {
            axes: vec![axis("load.rate"), axis("A/b:x.percent"), axis("A/c:y.percent")],
        };

        assert_eq!(sweep.axis("rate").unwrap().key, "load.rate");
        assert_eq!(sweep.axis("x.percent").unwrap().key, "A/b:x.percent");
        assert!(sweep.axis("percent").is_none());
        assert!(sweep.axis("ate").is_none());
        assert_eq!(sweep.points(), 8);
    }
}
