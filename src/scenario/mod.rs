//! What to simulate: as written (`…Spec`), as checked, with all problems found.

pub mod problem;
