//! Deterministic discrete-event core: a clock, the pending events and a loop.
//!
//! The engine knows nothing of pods or proxies. A run is a pure function of the
//! world and its random streams: no wall clock, no threads, no global state.
//!
//! **Order.** Events happen by time; events due at the same instant happen in the
//! order in which they were scheduled. Exactly, always, at any number of events.
//!
//! **Cancelling.** Nothing is ever taken out of the schedule. A timer carries the
//! [`SlotId`] of what it watches; once that has gone stale, its handler returns.

mod digest;
mod queue;
mod random;
mod samplers;
mod schedule;
mod slab;

pub use digest::{EventCode, EventDigest};
pub use random::{Purpose, RandomStreams, Stream, entity_id};
pub use samplers::{Exponential, InvalidDistribution, LogNormal};
pub use schedule::{Schedule, World, run, run_digested};
pub use slab::{Slab, SlotId};
