//! Sweep points: every combination of the values that an experiment tries.

use serde_json::{Map, Value};

use crate::scenario::spec::{SweepAxis, SweepSpec};

/// One combination of values.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Point<'a> {
    /// Axis by axis, in the order of the file: the axis and the position of its value.
    pub(super) settings: Vec<(&'a SweepAxis, usize)>,
}

/// All points of `sweep`, the last axis varying fastest; one empty point without an axis.
pub(super) fn points(sweep: &SweepSpec) -> Vec<Point<'_>> {
    sweep.axes.iter().fold(vec![Point::default()], |points, axis| {
        let values = 0..axis.values.len();
        points.iter().flat_map(|point| values.clone().map(|at| point.with(axis, at))).collect()
    })
}

impl<'a> Point<'a> {
    fn with(&self, axis: &'a SweepAxis, at: usize) -> Self {
        let mut settings = self.settings.clone();
        settings.push((axis, at));
        Self { settings }
    }

    /// Its settings: the axis, the position of its value, and the value.
    pub(super) fn values(&self) -> impl Iterator<Item = (&'a SweepAxis, usize, &'a Value)> {
        self.settings.iter().map(|&(axis, at)| (axis, at, &axis.values[at]))
    }

    /// As in the CSV files: `load.rate=200;load.connections=16`.
    pub(super) fn name(&self) -> String {
        let settings =
            self.values().map(|(axis, _, value)| format!("{}={}", axis.key, shown(value)));
        settings.collect::<Vec<_>>().join(";")
    }

    /// The point that has the values of `at`, and this one's own otherwise; none without `at`.
    pub(super) fn moved_to(&self, at: &Map<String, Value>, sweep: &SweepSpec) -> Option<Self> {
        let position = |axis: &SweepAxis| {
            let (_, wanted) = at.iter().find(|(key, _)| sweep.axis(key) == Some(axis))?;
            axis.values.iter().position(|value| value == wanted)
        };
        let moved = |&(axis, own): &(&'a SweepAxis, usize)| (axis, position(axis).unwrap_or(own));
        (!at.is_empty()).then(|| Self { settings: self.settings.iter().map(moved).collect() })
    }

    /// The settings that `other` does not have.
    pub(super) fn difference_from(&self, other: &Self) -> Self {
        let differs = |setting: &&(&'a SweepAxis, usize)| !other.settings.contains(setting);
        Self { settings: self.settings.iter().filter(differs).copied().collect() }
    }

    /// Whether it has all the values that `at` asks for; `sweep` knows the abbreviated keys.
    pub(super) fn has(&self, at: &Map<String, Value>, sweep: &SweepSpec) -> bool {
        at.iter().all(|(key, wanted)| {
            let axis = sweep.axis(key);
            self.values().any(|(own, _, value)| axis == Some(own) && value == wanted)
        })
    }
}

/// A value without the quotes that JSON puts around text.
fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sweep() -> SweepSpec {
        let axis =
            |key: &str, values: [Value; 2]| SweepAxis { key: key.into(), values: values.into() };
        SweepSpec {
            axes: vec![
                axis("load.rate", [200.into(), 1000.into()]),
                axis("load.arrivals", ["in-step".into(), "uniform".into()]),
            ],
        }
    }

    #[test]
    fn the_last_axis_varies_fastest() {
        let sweep = sweep();
        let names: Vec<String> = points(&sweep).iter().map(Point::name).collect();
        assert_eq!(
            names,
            [
                "load.rate=200;load.arrivals=in-step",
                "load.rate=200;load.arrivals=uniform",
                "load.rate=1000;load.arrivals=in-step",
                "load.rate=1000;load.arrivals=uniform",
            ]
        );
    }

    #[test]
    fn without_a_sweep_there_is_one_point_without_a_name() {
        let sweep = SweepSpec::default();
        assert_eq!(points(&sweep).iter().map(Point::name).collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn a_part_of_the_values_picks_all_points_that_have_it() {
        let sweep = sweep();
        let picked = |at: Value| {
            let at = at.as_object().unwrap().clone();
            points(&sweep).iter().filter(|point| point.has(&at, &sweep)).count()
        };
        assert_eq!(picked(json!({})), 4);
        assert_eq!(picked(json!({"rate": 200})), 2);
        assert_eq!(picked(json!({"load.rate": 200, "arrivals": "uniform"})), 1);
        assert_eq!(picked(json!({"load.rate": 500})), 0);
    }
}
