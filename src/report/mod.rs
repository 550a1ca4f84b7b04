//! What a person or a machine reads of paths and results.

pub mod path_view;
