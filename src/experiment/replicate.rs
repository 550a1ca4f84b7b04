//! Replications of the variants of one sweep point, until they are enough.
//!
//! Replication n of every variant draws from the same streams (common random numbers), so all
//! variants of a point get equally many. How many is decided over all of them, after batches
//! whose sizes follow from results alone: threads change nothing but the time it takes.

use rayon::prelude::*;

use super::result::MeasureId;
use super::result::measure::measures;
use crate::simulation::summary::RunSummary;
use crate::stats::{ConfidenceLevel, Decision, StoppingRule};

/// How often the runs of a sweep point are repeated.
#[derive(Clone, Debug, PartialEq)]
pub struct Replications {
    /// At least so often; at least 1.
    pub min: usize,
    /// At most so often; at least `min`.
    pub max: usize,
    /// What has to be known how well to stop before `max`.
    pub until: Option<Precision>,
}

/// A number, and the relative error to which it is to be known.
#[derive(Clone, Debug, PartialEq)]
pub struct Precision {
    /// Which number of each run.
    pub measure: MeasureId,
    /// Relative error of its mean at 95 % confidence, above 0 and below 1.
    pub within: f64,
}

/// How far an experiment has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// So many more runs are to be made.
    Planned(u64),
    /// A run has ended.
    Ended,
}

impl Replications {
    /// Always exactly `count`.
    pub const fn exactly(count: usize) -> Self {
        Self { min: count, max: count, until: None }
    }

    /// How many there should be in all, given what was observed in each variant so far; none if
    /// they are enough.
    fn next_total(&self, observations: &[Vec<f64>]) -> Option<usize> {
        let made = observations.first().map_or(0, Vec::len);
        if made < self.min {
            return Some(self.min);
        }
        let rule = StoppingRule {
            min: self.min,
            max: self.max,
            relative_error: self.until.as_ref()?.within,
            level: ConfidenceLevel::P95,
        };
        let asked_for = observations.iter().filter_map(|observed| match rule.decide(observed) {
            Decision::Continue(total) => Some(total.min(self.max)),
            Decision::Reached | Decision::GaveUp => None,
        });
        asked_for.max().filter(|&total| total > made)
    }

    /// What the stopping rule looks at; NaN, which is never precise, where a run lacks it.
    fn observe(&self, run: &RunSummary) -> f64 {
        let measure = self.until.as_ref().map(|precision| &precision.measure);
        measure.and_then(|measure| measures(run).get(measure).copied()).unwrap_or(f64::NAN)
    }
}

/// Repeats `run` for each of `cells` under the numbers 0, 1, 2, …: the summaries by cell, in
/// the order of their numbers.
pub(super) fn replicate<C: Sync>(
    cells: &[C],
    replications: &Replications,
    run: impl Fn(&C, u64) -> RunSummary + Sync,
    progress: &(dyn Fn(Progress) + Sync),
) -> Vec<Vec<RunSummary>> {
    let mut runs: Vec<Vec<RunSummary>> = cells.iter().map(|_| Vec::new()).collect();
    let mut observations: Vec<Vec<f64>> = cells.iter().map(|_| Vec::new()).collect();
    while let Some(total) = replications.next_total(&observations) {
        let made = runs.first().map_or(0, Vec::len);
        if made == total || cells.is_empty() {
            break;
        }
        progress(Progress::Planned((cells.len() * (total - made)) as u64));
        for (index, summary) in batch(cells, made..total, &run, progress) {
            observations[index].push(replications.observe(&summary));
            runs[index].push(summary);
        }
    }
    runs
}

/// The runs of one batch side by side, in the order of cells, then numbers.
fn batch<C: Sync>(
    cells: &[C],
    numbers: std::ops::Range<usize>,
    run: &(impl Fn(&C, u64) -> RunSummary + Sync),
    progress: &(dyn Fn(Progress) + Sync),
) -> Vec<(usize, RunSummary)> {
    let jobs: Vec<(usize, u64)> = (0..cells.len())
        .flat_map(|index| numbers.clone().map(move |number| (index, number as u64)))
        .collect();
    let made = jobs.into_par_iter().map(|(index, number)| {
        let summary = run(&cells[index], number);
        progress(Progress::Ended);
        (index, summary)
    });
    made.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::experiment::result::{Metric, Statistic};
    use crate::simulation::summary::{NodeSummary, RunSummary};

    /// A run that says nothing but how much CPU its node used: `cores` in one second.
    fn run(cores: f64, number: u64) -> RunSummary {
        let node = NodeSummary { node: "n".into(), cores: 1, cpu_ns: (cores * 1e9) as u64 };
        RunSummary {
            measured_s: 1.0,
            window_s: 1.0,
            sources: Vec::new(),
            responses: Vec::new(),
            proxies: Vec::new(),
            nodes: vec![node],
            workloads: Vec::new(),
            events: Vec::new(),
            event_count: number,
            digest: number,
        }
    }

    fn until(within: f64) -> Replications {
        let measure = MeasureId::whole(Metric::NodeCpu, Statistic::Mean);
        Replications { min: 4, max: 40, until: Some(Precision { measure, within }) }
    }

    /// How often cells that swing by these shares around one core are repeated.
    fn repeated(swings: &[f64], replications: &Replications) -> Vec<usize> {
        let swinging = |swing: &f64, number: u64| {
            let sign = if number.is_multiple_of(2) { 1.0 } else { -1.0 };
            run(1.0 + sign * swing, number)
        };
        let runs = replicate(swings, replications, swinging, &|_| {});
        assert!(runs.iter().all(|runs| runs.iter().zip(0..).all(|(run, n)| run.digest == n)));
        runs.iter().map(Vec::len).collect()
    }

    #[test]
    fn the_least_certain_variant_decides_for_all() {
        assert_eq!(repeated(&[0.0, 0.0], &until(0.01)), [4, 4]);
        assert_eq!(repeated(&[0.0, 0.9], &until(0.01)), [40, 40]);
        let between = repeated(&[0.0, 0.05], &until(0.02));
        assert!(between[0] == between[1] && (5..40).contains(&between[0]), "{between:?}");
    }

    #[test]
    fn without_a_precision_there_are_exactly_as_many_as_asked_for() {
        assert_eq!(repeated(&[0.9, 0.1, 0.0], &Replications::exactly(3)), [3, 3, 3]);
        assert_eq!(repeated(&[0.9], &Replications::exactly(1)), [1]);
        assert_eq!(repeated(&[], &Replications::exactly(3)), [0; 0]);
    }

    #[test]
    fn what_never_occurs_is_given_up_at_the_maximum() {
        let measure = MeasureId::whole(Metric::TimeToFirstEjection, Statistic::Mean);
        let never = Replications { until: Some(Precision { measure, within: 0.1 }), ..until(0.1) };
        assert_eq!(repeated(&[0.0], &never), [40]);
    }

    #[test]
    fn progress_counts_every_run_that_was_planned() {
        let (planned, ended) = (AtomicU64::new(0), AtomicU64::new(0));
        let count = |progress| match progress {
            Progress::Planned(runs) => planned.fetch_add(runs, Ordering::Relaxed),
            Progress::Ended => ended.fetch_add(1, Ordering::Relaxed),
        };
        replicate(&[0.0, 0.3], &until(0.05), |_, number| run(1.0 + number as f64, number), &|p| {
            count(p);
        });
        assert_eq!(planned.load(Ordering::Relaxed), 80);
        assert_eq!(ended.load(Ordering::Relaxed), 80);
    }
}
