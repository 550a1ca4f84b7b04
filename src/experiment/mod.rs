//! Being written.

pub mod result;
