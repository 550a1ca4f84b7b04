//! What an experiment found: every cell it ran, and how its expectations fared.
//!
//! A *cell* is one variant at one sweep point. Its replications run under common random
//! numbers, so replication n of one variant pairs with replication n of any other.

pub mod estimate;
pub mod expectation;
pub mod measure;

pub use estimate::Estimate;
pub use expectation::{Comparison, ExpectationOutcome, Verdict, Wanted};
pub use measure::{MeasureId, Metric, Statistic};

use crate::simulation::summary::RunSummary;

/// Everything an experiment found.
#[derive(Clone, Debug, Default)]
pub struct ExperimentResult {
    /// `metadata.name` of the experiment.
    pub name: String,
    /// `spec.question`.
    pub question: String,
    /// The seed all random streams come from.
    pub seed: u64,
    /// One per variant and sweep point; the first one's variant is the baseline.
    pub cells: Vec<Cell>,
    /// One per expectation, in the order of the file.
    pub checks: Vec<ExpectationOutcome>,
    /// The files that were read.
    pub inputs: Vec<Input>,
    /// What the model takes for granted or leaves out, one sentence each.
    pub assumptions: Vec<String>,
    /// The command that runs it again.
    pub command: String,
}

/// One variant at one sweep point.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Name of the variant.
    pub variant: String,
    /// `load.rate=200;…` in the order of the sweep; empty without one.
    pub point: String,
    /// In order of their index.
    pub replications: Vec<RunSummary>,
}

/// A file that was read, and what was in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// As given by the user.
    pub path: String,
    /// Digest of its bytes.
    pub digest: String,
}

impl ExperimentResult {
    /// The variants, the baseline first.
    pub fn variants(&self) -> Vec<&str> {
        in_order_of_appearance(self.cells.iter().map(|cell| cell.variant.as_str()))
    }

    /// The sweep points in the order they were run.
    pub fn points(&self) -> Vec<&str> {
        in_order_of_appearance(self.cells.iter().map(|cell| cell.point.as_str()))
    }

    /// The variant that the others are compared with: the first.
    pub fn baseline(&self) -> Option<&str> {
        self.cells.first().map(|cell| cell.variant.as_str())
    }

    /// The cell of one variant at one sweep point.
    pub fn cell(&self, variant: &str, point: &str) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.variant == variant && cell.point == point)
    }

    /// The baseline's cell at `cell`'s sweep point; none if `cell` is the baseline's own.
    pub fn baseline_of(&self, cell: &Cell) -> Option<&Cell> {
        let baseline = self.baseline().filter(|&baseline| baseline != cell.variant)?;
        self.cell(baseline, &cell.point)
    }

    /// Whether every expectation was met.
    pub fn passed(&self) -> bool {
        self.checks.iter().all(|check| check.verdict == Verdict::Met)
    }
}

/// Each name once, where it first occurs.
pub(crate) fn in_order_of_appearance<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}
