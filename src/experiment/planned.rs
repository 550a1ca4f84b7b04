//! What a checked experiment consists of.

use super::expectation::Expectation;
use super::replicate::Replications;
use super::result::Input;
use crate::scenario::Scenario;

/// How to run an experiment otherwise than its file says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Seed of all random streams.
    pub seed: Option<u64>,
    /// Exactly so many replications, at least 1.
    pub replications: Option<usize>,
    /// A tenth of the warm-up and the duration, and at most 3 replications.
    pub quick: bool,
}

/// An experiment, checked and ready to run.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// `metadata.name`: letters, digits, dashes and dots, fit for the name of a folder.
    pub name: String,
    /// What it is to answer.
    pub question: String,
    /// Seed of all random streams.
    pub seed: u64,
    /// How often each run is repeated.
    pub replications: Replications,
    /// The sweep points in order; at least one.
    pub points: Vec<PlannedPoint>,
    /// The files that were read.
    pub inputs: Vec<Input>,
    /// What is taken for granted or left out, one sentence each.
    pub assumptions: Vec<String>,
    /// What will not run as the user may think, one sentence each.
    pub warnings: Vec<String>,
    pub(super) expectations: Vec<Expectation>,
}

/// All variants at one sweep point.
#[derive(Clone, Debug)]
pub struct PlannedPoint {
    /// `load.rate=200;…`; empty without a sweep.
    pub name: String,
    /// One per variant, the baseline first.
    pub cells: Vec<PlannedCell>,
}

/// One variant at one sweep point.
#[derive(Clone, Debug)]
pub struct PlannedCell {
    /// Name of the variant.
    pub variant: String,
    /// What is simulated.
    pub scenario: Scenario,
}
