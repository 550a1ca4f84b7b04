//! Kubernetes, Istio and Gateway API objects into a model: what is there, where it runs, what
//! the mesh does with it.
//!
//! The way of an object: [`Object`](super::manifests::Object) → its fields that matter (`api`) →
//! what makes pods (`plan`), gateways and waypoints, services → data planes and bindings → nodes →
//! a [`Model`]. What is not modelled ends up in its [`Coverage`], never in silence.

mod api;
mod behaviors;
mod build;
mod catalogue;
mod coverage;
mod data_plane;
mod gateways;
mod hosts;
mod inventory;
mod model;
mod nodes;
mod numbering;
mod overlay;
mod placement;
mod plan;
mod resources;
mod services;
mod waypoints;

pub use build::build;
pub use catalogue::Effect;
pub use coverage::{Assumption, Coverage, IgnoredField, IgnoredKind, ModelledKind, Warning};
pub use model::{Model, VariantOverrides};
