//! Runs: the only place where engine and domain meet.

pub mod summary;
