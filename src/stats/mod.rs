//! Estimators; they know no pod.

mod histogram;

pub use histogram::ResponseTimes;
