//! Replications and sweeps of scenarios, side by side, and what was expected of them.
//!
//! ```text
//!  experiment.yaml ─┐
//!  model ───────────┼─► load ─► Experiment ─► run ─► ExperimentResult
//!  calibration ─────┘           points × variants,
//!                               a Scenario each
//! ```

mod expectation;
mod input;
mod load;
mod manifest_change;
mod plan;
mod point;
mod replicate;
pub mod result;
mod run;
mod settings;
mod trace;

pub use manifest_change::{Unsettable, set_field};
pub use plan::{Experiment, Options, PlannedCell, PlannedPoint, load};
pub use replicate::{Precision, Progress, Replications};
