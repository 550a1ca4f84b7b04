//! From replications to estimates with confidence intervals.

use std::collections::{BTreeMap, BTreeSet};

use super::measure::{MeasureId, Measures, Metric, measures};
use super::{Cell, ExperimentResult};
use crate::stats::{ConfidenceLevel, mean_interval};

/// A mean over replications with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Mean over the replications.
    pub value: f64,
    /// Its 95 % Student-t interval; none with fewer than two replications.
    pub interval: Option<(f64, f64)>,
    /// How many replications have the value; at least 1.
    pub replications: usize,
}

impl Estimate {
    /// The mean of `values`; none if there are none.
    pub fn of(values: &[f64]) -> Option<Self> {
        let replications = values.len();
        let value = values.iter().sum::<f64>() / replications as f64;
        let interval = mean_interval(values, ConfidenceLevel::P95);
        let interval = interval.map(|interval| (interval.low, interval.high));
        (replications > 0).then_some(Self { value, interval, replications })
    }

    /// Half the width of the interval.
    pub fn half_width(&self) -> Option<f64> {
        self.interval.map(|(low, high)| (high - low) / 2.0)
    }
}

/// Estimates by what they estimate.
pub type Estimates = BTreeMap<MeasureId, Estimate>;

impl Cell {
    /// The numbers of each replication.
    pub fn measures(&self) -> Vec<Measures> {
        self.replications.iter().map(measures).collect()
    }
}

impl ExperimentResult {
    /// Every estimate of every cell, in the order of the cells. Cells of other variants than
    /// the baseline also have [`Metric::ResponseTimeAdded`].
    pub fn estimates(&self) -> Vec<(&Cell, Estimates)> {
        let runs: Vec<Vec<Measures>> = self.cells.iter().map(Cell::measures).collect();
        let runs_of = |wanted: &Cell| {
            let position = self.cells.iter().position(|cell| std::ptr::eq(cell, wanted))?;
            runs.get(position)
        };
        let estimates_of = |(cell, own): (&Cell, &Vec<Measures>)| {
            let mut estimates = over_replications(own);
            if let Some(baseline) = self.baseline_of(cell).and_then(runs_of) {
                estimates.extend(added_response_times(own, baseline));
            }
            estimates
        };
        self.cells.iter().zip(&runs).map(|pair| (pair.0, estimates_of(pair))).collect()
    }
}

/// The mean of every number over the replications that have it.
pub fn over_replications(runs: &[Measures]) -> Estimates {
    let mut values: BTreeMap<&MeasureId, Vec<f64>> = BTreeMap::new();
    for (id, value) in runs.iter().flatten() {
        values.entry(id).or_default().push(*value);
    }
    let estimate = |(id, values): (&MeasureId, Vec<f64>)| {
        Estimate::of(&values).map(|estimate| (id.clone(), estimate))
    };
    values.into_iter().filter_map(estimate).collect()
}

/// `combine(ours, theirs)` of one number, replication by replication; pairs in which
/// either is missing are left out.
pub fn paired(
    ours: &[Measures],
    theirs: &[Measures],
    id: &MeasureId,
    combine: fn(f64, f64) -> f64,
) -> Option<Estimate> {
    let pair = |(ours, theirs): (&Measures, &Measures)| {
        Some(combine(*ours.get(id)?, *theirs.get(id)?)).filter(|value| value.is_finite())
    };
    let values: Vec<f64> = ours.iter().zip(theirs).filter_map(pair).collect();
    Estimate::of(&values)
}

fn added_response_times(ours: &[Measures], baseline: &[Measures]) -> Estimates {
    let ids = ours.iter().flat_map(BTreeMap::keys);
    let ids: BTreeSet<_> = ids.filter(|id| id.metric == Metric::ResponseTime).collect();
    let added = |id: &MeasureId| {
        let estimate = paired(ours, baseline, id, |ours, theirs| ours - theirs)?;
        Some((MeasureId { metric: Metric::ResponseTimeAdded, ..id.clone() }, estimate))
    };
    ids.into_iter().filter_map(added).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::result::Statistic;

    fn runs(values: &[Option<f64>]) -> Vec<Measures> {
        let id = MeasureId::whole(Metric::ResponseTime, Statistic::P50);
        let run = |value: &Option<f64>| value.iter().map(|value| (id.clone(), *value)).collect();
        values.iter().map(run).collect()
    }

    #[test]
    fn one_replication_has_a_value_and_no_interval() {
        let one = Estimate::of(&[2.5]).unwrap();
        assert_eq!((one.value.to_bits(), one.interval), (2.5_f64.to_bits(), None));
        assert_eq!(Estimate::of(&[]), None);
    }

    /// What varies alike in both variants cancels: the difference is certain although
    /// neither value is.
    #[test]
    fn differences_are_taken_replication_by_replication() {
        let ours = runs(&[Some(3.0), Some(13.0), None]);
        let baseline = runs(&[Some(1.0), Some(11.0), Some(5.0)]);
        let id = MeasureId::whole(Metric::ResponseTime, Statistic::P50);
        let difference = paired(&ours, &baseline, &id, |ours, theirs| ours - theirs).unwrap();
        assert_eq!((difference.replications, difference.interval), (2, Some((2.0, 2.0))));
    }
}
