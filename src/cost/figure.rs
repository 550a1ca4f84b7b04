//! One figure of a calibration, with everything needed to judge it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A number with its unit, its plausible range and where it comes from.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The value used.
    pub value: f64,
    /// Its unit; each parameter has exactly one.
    pub unit: Unit,
    /// The range within which sources disagree, lowest first; `value` lies inside.
    pub range: [f64; 2],
    /// Product, version, page or data row it was taken from, or how it was inferred.
    pub source: String,
    /// Whether it was adjusted until the model met a measurement.
    #[serde(default)]
    pub fitted: bool,
}

/// Units of calibration figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum Unit {
    /// Microseconds.
    #[serde(rename = "us")]
    Microseconds,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Milliseconds,
    /// Seconds.
    #[serde(rename = "s")]
    Seconds,
    /// Nanoseconds per byte.
    #[serde(rename = "ns/B")]
    NanosecondsPerByte,
    /// Thousandths of a core.
    #[serde(rename = "mCPU")]
    Millicores,
    /// Mebibytes.
    #[serde(rename = "MiB")]
    Mebibytes,
    /// Kibibytes.
    #[serde(rename = "KiB")]
    Kibibytes,
    /// A count of threads.
    #[serde(rename = "threads")]
    Threads,
    /// A plain number: a share of 0 to 1, a coefficient of variation, a sigma.
    #[serde(rename = "1")]
    One,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Microseconds => "us",
            Self::Milliseconds => "ms",
            Self::Seconds => "s",
            Self::NanosecondsPerByte => "ns/B",
            Self::Millicores => "mCPU",
            Self::Mebibytes => "MiB",
            Self::Kibibytes => "KiB",
            Self::Threads => "threads",
            Self::One => "1",
        })
    }
}
