//! Runs of a scenario, repeated, and the intervals over them.

use rayon::prelude::*;

use crate::scenario::Scenario;
use crate::simulation::simulate;
use crate::simulation::summary::RunSummary;
use crate::stats::{ConfidenceLevel, Interval, mean_interval, paired_difference};

/// Seed of all claims; a claim that holds under it always does.
pub(super) const SEED: u64 = 20_261_130;

/// What `statistic` says of each of `replications` runs, side by side, in their order.
pub(super) fn observe<T: Send>(
    scenario: &Scenario,
    replications: u64,
    statistic: impl Fn(&RunSummary) -> T + Sync,
) -> Vec<T> {
    (0..replications)
        .into_par_iter()
        .map(|replication| statistic(&simulate(scenario, SEED, replication)))
        .collect()
}

/// What an interval is where nothing was observed: no claim can rest on it.
const UNKNOWN: Interval = Interval { estimate: f64::NAN, low: f64::NAN, high: f64::NAN };

/// The 99 % interval of the mean: a claim of theory is refused wrongly once in a hundred seeds.
pub(super) fn interval_of_theory(observations: &[f64]) -> Interval {
    mean_interval(observations, ConfidenceLevel::P99).unwrap_or(UNKNOWN)
}

/// The 95 % interval of the mean.
pub(super) fn interval(observations: &[f64]) -> Interval {
    mean_interval(observations, ConfidenceLevel::P95).unwrap_or(UNKNOWN)
}

/// The 95 % interval of what `variant` adds to `baseline`, paired by replication.
pub(super) fn difference(baseline: &[f64], variant: &[f64]) -> Interval {
    paired_difference(baseline, variant, ConfidenceLevel::P95).unwrap_or(UNKNOWN)
}

/// The 95 % interval of the ratio of `numerator` to `denominator`, replication by replication.
pub(super) fn ratio(numerator: &[f64], denominator: &[f64]) -> Interval {
    let ratios: Vec<f64> = numerator.iter().zip(denominator).map(|(a, b)| a / b).collect();
    interval(&ratios)
}
