//! What everything costs: CPU time, delays and memory, read from `models/calibration/`.
//!
//! A figure never travels without its unit, range, source and whether it was fitted.
//! Costs are *parts* (a pass through a worker, a hop, a wake-up); latency is what the
//! engine makes of them.

mod calibration;
mod figure;

pub use calibration::{CalibrationProblem, CalibrationSpec, CostModel, ParameterInfo};
pub use figure::{Figure, Unit};
