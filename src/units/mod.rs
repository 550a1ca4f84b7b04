//! Typed quantities. A number never travels without its unit.

mod quantity;
mod time;

pub use quantity::{InvalidQuantity, Quantity};
pub use time::{InvalidDuration, SimDuration, SimTime};
