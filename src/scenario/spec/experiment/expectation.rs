//! What must come out of an experiment.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::check::{Check, quoted};
use super::super::measure::{Dimension, MeasureSpec, Metric, Statistic, WithinSpec};
use super::ExperimentSpec;

/// One claim about one number.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExpectationSpec {
    /// The metric, as in `summary.csv`.
    pub metric: Metric,
    /// Which number of it.
    #[serde(default)]
    pub statistic: Statistic,
    /// Of which variant; may be left out if there is at most one.
    pub variant: Option<String>,
    /// What is subtracted: the same number of this variant.
    pub versus: Option<String>,
    /// What it is divided by: the same number of this variant.
    pub over: Option<String>,
    /// At which other sweep point the number to compare with is taken: `{load.rate: 200}`. Of the
    /// variant itself unless `versus` or `over` names one; a difference unless `over` does.
    #[serde(default)]
    pub versus_at: Map<String, Value>,
    /// At which sweep points: `{load.rate: 200}`; at all of them if left out.
    #[serde(default)]
    pub at: Map<String, Value>,
    /// Of which part: `workload=payment`, `source=a;destination=b`; of the whole if left out.
    pub scope: Option<String>,
    /// The expected value.
    pub is: Option<MeasureSpec>,
    /// How far off it may be: `0.2ms`, or `10%` of it.
    pub within: Option<WithinSpec>,
    /// The smallest value that is right.
    pub at_least: Option<MeasureSpec>,
    /// The largest value that is right.
    pub at_most: Option<MeasureSpec>,
    /// Where the figure comes from.
    pub source: Option<String>,
}

/// Words before `=` in a scope.
const SCOPES: [&str; 5] = ["workload", "proxy", "node", "source", "destination"];

impl ExpectationSpec {
    /// The kind of value that is expected: that of the metric, or a plain ratio.
    pub fn dimension(&self) -> Dimension {
        if self.over.is_some() { Dimension::Ratio } else { self.metric.dimension() }
    }

    pub(super) fn check(&self, experiment: &ExperimentSpec, check: &mut Check<'_>) {
        let rule = format!("mean: {} has no other", self.metric);
        let exists = self.statistic.exists_for(self.metric);
        check.require(exists, "statistic", self.statistic, rule);
        self.check_variants(experiment, check);
        self.check_bounds(check);
        self.check_units(check);
        self.check_points(experiment, check);
        if let Some(scope) = &self.scope {
            let rule = "such as `workload=payment` or `source=a;destination=b`";
            check.require(is_scope(scope), "scope", quoted(scope), rule);
        }
    }

    fn check_variants(&self, experiment: &ExperimentSpec, check: &mut Check<'_>) {
        let named = [("variant", &self.variant), ("versus", &self.versus), ("over", &self.over)];
        let known: Vec<&str> =
            experiment.variants.iter().map(|variant| variant.name.as_str()).collect();
        for (field, name) in named {
            let Some(name) = name else { continue };
            let rule = match known.as_slice() {
                [] => "left out: the experiment has no variants".to_owned(),
                _ => format!("one of the variants: {}", known.join(", ")),
            };
            check.require(known.contains(&name.as_str()), field, quoted(name), rule);
        }
        let is_clear = self.variant.is_some() || known.len() <= 1;
        check.require_that(is_clear, "variant", "is missing: there is more than one variant");
        let is_one = self.versus.is_none() || self.over.is_none();
        check.require_that(is_one, "over", "must not stand beside `versus`: difference or ratio?");
        let other = self.versus.as_ref().or(self.over.as_ref());
        let is_own = other.is_some() && other == self.variant.as_ref();
        let differs = !is_own || !self.versus_at.is_empty();
        check.require_that(differs, "variant", "is compared with itself");
    }

    fn check_bounds(&self, check: &mut Check<'_>) {
        let has_bound = self.is.is_some() || self.at_least.is_some() || self.at_most.is_some();
        check.require_that(has_bound, "", "must say `is`, `atLeast` or `atMost`");
        let sentence = "is missing: how far from `is` may it be?";
        check.require_that(self.is.is_none() || self.within.is_some(), "within", sentence);
        let sentence = "needs `is`: within what distance of what?";
        check.require_that(self.within.is_none() || self.is.is_some(), "within", sentence);
        if let (Some(least), Some(most)) = (self.at_least, self.at_most) {
            let in_order = least.in_unit_of(self.dimension()) <= most.in_unit_of(self.dimension());
            check.require(in_order, "atMost", most, format_args!("at least atLeast ({least})"));
        }
    }

    fn check_units(&self, check: &mut Check<'_>) {
        let dimension = self.dimension();
        for (field, measure) in
            [("is", self.is), ("atLeast", self.at_least), ("atMost", self.at_most)]
        {
            let Some(measure) = measure else { continue };
            let holds = measure.in_unit_of(dimension).is_some();
            check.require(holds, field, quoted(&measure.to_string()), dimension.rule());
        }
        match self.within {
            Some(WithinSpec::Absolute(measure)) => {
                let distance = measure.in_unit_of(dimension);
                let rule = format!("{}, or a percentage of `is`", dimension.rule());
                check.require(distance.is_some(), "within", quoted(&measure.to_string()), rule);
                check.require(distance.is_none_or(|d| d >= 0.0), "within", measure, "at least 0");
            }
            Some(WithinSpec::Relative(share)) => {
                check.require(share >= 0.0, "within", format!("{}%", share * 100.0), "at least 0%");
            }
            None => {}
        }
    }

    fn check_points(&self, experiment: &ExperimentSpec, check: &mut Check<'_>) {
        for (list, at) in [("at", &self.at), ("versusAt", &self.versus_at)] {
            for (key, value) in at {
                let field = format!("{list}[\"{key}\"]");
                let Some(axis) = experiment.sweep.axis(key) else {
                    check.require_that(false, &field, "is nothing that `sweep` varies");
                    continue;
                };
                let values: Vec<String> = axis.values.iter().map(Value::to_string).collect();
                let rule = format!("one of the values swept: {}", values.join(", "));
                check.require(axis.values.contains(value), &field, value, rule);
            }
        }
        let differs = self.versus_at.is_empty()
            || self.versus_at.iter().any(|(key, value)| self.at.get(key) != Some(value));
        check.require_that(differs, "versusAt", "is the point itself");
    }
}

fn is_scope(scope: &str) -> bool {
    scope.split(';').all(|part| {
        part.split_once('=').is_some_and(|(word, name)| SCOPES.contains(&word) && !name.is_empty())
    })
}
