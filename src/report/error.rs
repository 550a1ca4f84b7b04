//! What can go wrong while a report is written.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a report could not be written or redrawn.
#[derive(Debug)]
pub enum ReportError {
    /// A file or folder could not be read, written or renamed.
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A CSV file could not be written, or is not what it should be.
    Csv {
        /// Which.
        path: PathBuf,
        /// Why, with the line.
        error: ::csv::Error,
    },
    /// Another process is writing the same report.
    Busy(PathBuf),
    /// A plot could not be drawn.
    Plot(String),
}

impl ReportError {
    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        Self::Io { path: path.to_owned(), error }
    }

    pub(crate) fn csv(path: &Path, error: ::csv::Error) -> Self {
        Self::Csv { path: path.to_owned(), error }
    }

    pub(crate) fn plot(error: &impl fmt::Display) -> Self {
        Self::Plot(error.to_string())
    }
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Csv { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Busy(path) => {
                write!(f, "{}: another run is writing this report", path.display())
            }
            Self::Plot(reason) => write!(f, "cannot draw a plot: {reason}"),
        }
    }
}

impl std::error::Error for ReportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            Self::Csv { error, .. } => Some(error),
            Self::Busy(_) | Self::Plot(_) => None,
        }
    }
}
