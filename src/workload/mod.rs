//! Who calls whom, and what serving a request demands.

pub mod behavior;
pub mod distribution;
pub mod load;

pub use behavior::{Behavior, Call, Failures};
pub use distribution::Distribution;
pub use load::{Arrivals, Load, RatePhase, Target};
