//! The tidy CSV files of an experiment: one row per fact.
//!
//! `output/README.md` explains every file, column and metric. Each file has one row type;
//! its fields, in order, are the columns. The same results give the same bytes.

pub mod events;
pub mod expectations;
pub mod number;
pub mod proxies;
pub mod responses;
pub mod summary;
pub mod time_series;

use std::fs::File;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::ReportError;
use crate::experiment::result::ExperimentResult;
use crate::simulation::summary::RunSummary;

/// A row type and the file it stands in.
pub trait Row: Serialize {
    /// Name of the file.
    const FILE: &'static str;
    /// The columns in order.
    const COLUMNS: &'static [&'static str];
}

/// Defines a row type whose field names are the columns of its file, after the three that all
/// files begin with.
macro_rules! row {
    ($(#[$doc:meta])* $name:ident in $file:literal {
        $($(#[$field_doc:meta])* $field:ident: $type:ty,)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
        pub struct $name<'a> {
            /// Name of the experiment.
            pub experiment: std::borrow::Cow<'a, str>,
            /// Name of the variant.
            pub variant: std::borrow::Cow<'a, str>,
            /// Sweep point; empty without a sweep.
            pub point: std::borrow::Cow<'a, str>,
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $crate::report::csv::Row for $name<'_> {
            const FILE: &'static str = $file;
            const COLUMNS: &'static [&'static str] =
                &["experiment", "variant", "point", $(stringify!($field)),*];
        }
    };
}
pub(crate) use row;

/// Which replication of which cell a row belongs to.
#[derive(Clone, Copy)]
struct Place<'a> {
    experiment: &'a str,
    variant: &'a str,
    point: &'a str,
    replication: usize,
    run: &'a RunSummary,
}

/// Every replication of every cell, in order.
fn places(result: &ExperimentResult) -> impl Iterator<Item = Place<'_>> {
    result.cells.iter().flat_map(move |cell| {
        cell.replications.iter().enumerate().map(move |(replication, run)| Place {
            experiment: &result.name,
            variant: &cell.variant,
            point: &cell.point,
            replication,
            run,
        })
    })
}

/// The entries of one list of every run, each with its place.
fn per_replication<'a, T: 'a>(
    result: &'a ExperimentResult,
    list: fn(&RunSummary) -> &Vec<T>,
) -> impl Iterator<Item = (Place<'a>, &'a T)> {
    places(result).flat_map(move |place| list(place.run).iter().map(move |entry| (place, entry)))
}

/// Writes all CSV files of `result` into `folder`.
///
/// # Errors
///
/// If a file cannot be written.
pub fn write(result: &ExperimentResult, folder: &Path) -> Result<(), ReportError> {
    write_rows(folder, summary::rows(result))?;
    write_rows(folder, time_series::rows(result))?;
    write_rows(folder, responses::rows(result))?;
    write_rows(folder, events::rows(result))?;
    write_rows(folder, expectations::rows(result))?;
    proxies::write(result, folder)
}

/// Writes one file, row by row; without rows, its header alone.
fn write_rows<R: Row>(folder: &Path, rows: impl Iterator<Item = R>) -> Result<(), ReportError> {
    let path = folder.join(R::FILE);
    let failed = |error| ReportError::csv(&path, error);
    let file = File::create(&path).map_err(|error| ReportError::io(&path, error))?;
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(file);
    writer.write_record(R::COLUMNS).map_err(failed)?;
    for row in rows {
        writer.serialize(row).map_err(failed)?;
    }
    writer.flush().map_err(|error| ReportError::io(&path, error))
}

/// Reads one file, handing each row to `use_row`.
///
/// # Errors
///
/// If the file cannot be read, or a column is missing or no number where one is due.
pub fn read_rows<R: Row + DeserializeOwned>(
    folder: &Path,
    mut use_row: impl FnMut(R),
) -> Result<(), ReportError> {
    let path = folder.join(R::FILE);
    let failed = |error| ReportError::csv(&path, error);
    let mut reader = csv::Reader::from_path(&path).map_err(failed)?;
    for row in reader.deserialize() {
        use_row(row.map_err(failed)?);
    }
    Ok(())
}
