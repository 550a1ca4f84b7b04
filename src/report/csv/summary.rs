//! `summary.csv`: every estimate with its confidence interval.

use std::borrow::Cow;

use super::number;
use crate::experiment::result::estimate::Estimates;
use crate::experiment::result::{Cell, Estimate, ExperimentResult, MeasureId};

super::row! {
    /// One estimate: a statistic of a metric in one cell.
    SummaryRow in "summary.csv" {
        /// Of what; empty for the whole run.
        scope: Cow<'a, str>,
        /// What is measured.
        metric: Cow<'a, str>,
        /// Which statistic within one replication.
        statistic: Cow<'a, str>,
        /// Mean over the replications.
        #[serde(serialize_with = "number::serialize")]
        value: f64,
        /// Unit of `value`, `ci_low` and `ci_high`.
        unit: Cow<'a, str>,
        /// Lower end of the 95 % confidence interval; empty with one replication.
        #[serde(serialize_with = "number::serialize_option")]
        ci_low: Option<f64>,
        /// Upper end.
        #[serde(serialize_with = "number::serialize_option")]
        ci_high: Option<f64>,
        /// Replications that have the value.
        replications: usize,
    }
}

/// All rows: cell by cell, then by metric, scope and statistic.
pub fn rows(result: &ExperimentResult) -> impl Iterator<Item = SummaryRow<'_>> {
    result.estimates().into_iter().flat_map(|(cell, estimates)| rows_of(result, cell, estimates))
}

fn rows_of<'a>(
    result: &'a ExperimentResult,
    cell: &'a Cell,
    estimates: Estimates,
) -> impl Iterator<Item = SummaryRow<'a>> {
    estimates.into_iter().map(|(id, estimate)| row(&result.name, cell, id, estimate))
}

fn row<'a>(
    experiment: &'a str,
    cell: &'a Cell,
    id: MeasureId,
    estimate: Estimate,
) -> SummaryRow<'a> {
    SummaryRow {
        experiment: experiment.into(),
        variant: cell.variant.as_str().into(),
        point: cell.point.as_str().into(),
        scope: id.scope.into(),
        metric: id.metric.name().into(),
        statistic: id.statistic.name().into(),
        value: estimate.value,
        unit: id.metric.unit().into(),
        ci_low: estimate.interval.map(|interval| interval.0),
        ci_high: estimate.interval.map(|interval| interval.1),
        replications: estimate.replications,
    }
}
