//! Replications and sweeps of scenarios, side by side, and what was expected of them.
//!
//! ```text
//!  experiment.yaml ─┐
//!  model ───────────┼─► load ─► Experiment ─► run ─► ExperimentResult
//!  calibration ─────┘           points × variants,
//!                               a Scenario each
//! ```

mod calibrations;
mod expectation;
mod folder;
mod input;
mod load;
mod notes;
mod plan;
mod planned;
mod point;
mod replicate;
pub mod result;
mod run;
mod settings;
mod trace;

pub use plan::load;
pub use planned::{Experiment, Options, PlannedCell, PlannedPoint};
pub use replicate::{Precision, Progress, Replications};
