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
pub mod page;
pub mod path_view;
pub mod plot;
pub mod terminal;

use std::path::Path;

pub use error::ReportError;
pub use manifest::WallClock;

use crate::experiment::result::ExperimentResult;
use output_folder::OutputFolder;

/// Writes everything about `result` to the folder `target`, all or nothing: CSV files, plots,
/// `report.html` and `run.json`. What stood there before is replaced.
///
/// # Errors
///
/// [`ReportError`] if the file system refuses, another run is writing there, or a plot cannot be
/// drawn; what stood there before then stays.
pub fn write(
    result: &ExperimentResult,
    clock: &WallClock,
    target: &Path,
) -> Result<(), ReportError> {
    let folder = OutputFolder::begin(target)?;
    csv::write(result, folder.path())?;
    let plots = plot::redraw(folder.path())?;
    page::write(result, &plots, folder.path())?;
    manifest::write(result, clock, folder.path())?;
    folder.commit()
}
