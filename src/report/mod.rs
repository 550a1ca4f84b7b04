//! What a person or a machine reads of paths and results.
//!
//! ```text
//!  ExperimentResult ──► csv ──► plot ──► report.html
//!         │               (SVG, PNG)
//!         ├──► run.json
//!         └──► terminal table
//! ```
//!
//! Plots are made from the CSV files alone, so they can be remade without simulating.

pub mod csv;
mod error;
mod format;
pub mod manifest;
pub mod output_folder;
pub mod path_view;
pub mod plot;

pub use error::ReportError;
