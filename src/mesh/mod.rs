//! Istio's data plane: protocols, paths, proxies.

pub mod enrolment;
pub mod path;
pub mod protocol;

pub use enrolment::{Enrolment, Waypoint};
