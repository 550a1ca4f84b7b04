//! Typed quantities. A number never travels without its unit.

mod time;

pub use time::{InvalidDuration, SimDuration, SimTime};
