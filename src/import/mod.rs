//! Other formats into a scenario: files with manifests first of all.

pub mod calibration;
pub mod durations;
pub mod kubernetes;
pub mod manifests;
pub mod overrides;
pub mod own;
pub mod yaml;
