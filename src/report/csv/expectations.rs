//! `expectations.csv`: each expectation, what was wanted and what came out.

use std::borrow::Cow;

use super::number;
use crate::experiment::result::{Comparison, ExpectationOutcome, ExperimentResult};

super::row! {
    /// One expectation.
    ExpectationRow in "expectations.csv" {
        /// Of what; empty for the whole run.
        scope: Cow<'a, str>,
        /// What is measured.
        metric: Cow<'a, str>,
        /// Which statistic.
        statistic: Cow<'a, str>,
        /// `difference`, `ratio`, or empty where nothing is compared.
        comparison: Cow<'a, str>,
        /// The variant compared with.
        versus: Cow<'a, str>,
        /// What came out; empty if nothing was measured.
        #[serde(serialize_with = "number::serialize_option")]
        value: Option<f64>,
        /// Unit of all values; `1` for a ratio.
        unit: Cow<'a, str>,
        /// Lower end of the 95 % confidence interval of `value`.
        #[serde(serialize_with = "number::serialize_option")]
        ci_low: Option<f64>,
        /// Upper end.
        #[serde(serialize_with = "number::serialize_option")]
        ci_high: Option<f64>,
        /// The published or expected value.
        #[serde(serialize_with = "number::serialize_option")]
        wanted: Option<f64>,
        /// Smallest value accepted; empty is no limit.
        #[serde(serialize_with = "number::serialize_option")]
        wanted_low: Option<f64>,
        /// Largest value accepted; empty is no limit.
        #[serde(serialize_with = "number::serialize_option")]
        wanted_high: Option<f64>,
        /// `met`, `missed` or `unmeasured`.
        verdict: Cow<'a, str>,
        /// Where the wanted value comes from.
        source: Cow<'a, str>,
        /// The expectation in words.
        text: Cow<'a, str>,
    }
}

/// One row per expectation, in the order of the experiment file.
pub fn rows(result: &ExperimentResult) -> impl Iterator<Item = ExpectationRow<'_>> {
    result.checks.iter().map(|check| row(&result.name, check))
}

fn row<'a>(experiment: &'a str, check: &'a ExpectationOutcome) -> ExpectationRow<'a> {
    let interval = check.ours.and_then(|ours| ours.interval);
    ExpectationRow {
        experiment: experiment.into(),
        variant: check.variant.as_str().into(),
        point: check.point.as_str().into(),
        scope: check.measure.scope.as_str().into(),
        metric: check.measure.metric.name().into(),
        statistic: check.measure.statistic.name().into(),
        comparison: comparison(check).into(),
        versus: check.versus.as_ref().map_or("", Comparison::variant).into(),
        value: check.ours.map(|ours| ours.value),
        unit: check.unit().into(),
        ci_low: interval.map(|interval| interval.0),
        ci_high: interval.map(|interval| interval.1),
        wanted: check.wanted.target,
        wanted_low: check.wanted.low,
        wanted_high: check.wanted.high,
        verdict: check.verdict.label().into(),
        source: check.source.as_str().into(),
        text: check.text.as_str().into(),
    }
}

fn comparison(check: &ExpectationOutcome) -> &'static str {
    match check.versus {
        None => "",
        Some(Comparison::Difference(_)) => "difference",
        Some(Comparison::Ratio(_)) => "ratio",
    }
}
