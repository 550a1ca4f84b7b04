//! What is measured, and values of it with units: `p99(response_time)`, `1.98ms`, `10%`.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Deserialize;

/// The metrics that experiments may speak of, with the kind of value each has.
///
/// Names and units are those of `summary.csv`.
const METRICS: [(&str, Dimension); 14] = [
    ("response_time", Dimension::Time),
    ("response_time_added", Dimension::Time),
    ("requests", Dimension::Count),
    ("failed_requests", Dimension::Count),
    ("failure_share", Dimension::Share),
    ("attempts_per_request", Dimension::Ratio),
    ("masked_failures", Dimension::Count),
    ("goodput", Dimension::Rate),
    ("proxy_cpu", Dimension::Cores),
    ("app_cpu", Dimension::Cores),
    ("node_cpu", Dimension::Cores),
    ("proxy_memory", Dimension::Memory),
    ("ejections", Dimension::Count),
    ("time_to_first_ejection", Dimension::Seconds),
];

/// The kind of value a metric has, which decides the units it may be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Reported in milliseconds.
    Time,
    /// A time reported in seconds.
    Seconds,
    /// A number of things.
    Count,
    /// 0 to 1; may be written in per cent.
    Share,
    /// A quotient.
    Ratio,
    /// Per second.
    Rate,
    /// CPU cores.
    Cores,
    /// Reported in MiB.
    Memory,
}

/// A metric by its name in `summary.csv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric(usize);

impl Metric {
    /// All names.
    pub const NAMES: [&'static str; METRICS.len()] = {
        let mut names = [""; METRICS.len()];
        let mut index = 0;
        while index < names.len() {
            names[index] = METRICS[index].0;
            index += 1;
        }
        names
    };

    /// Its name.
    pub fn name(self) -> &'static str {
        METRICS[self.0].0
    }

    /// The kind of value it has.
    pub fn dimension(self) -> Dimension {
        METRICS[self.0].1
    }
}

/// Why a text is no metric, statistic or measure: the end of a sentence that starts with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidMeasure(String);

impl InvalidMeasure {
    pub(super) fn new(sentence: &str) -> Self {
        Self(sentence.to_owned())
    }
}

impl fmt::Display for InvalidMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for InvalidMeasure {}

impl FromStr for Metric {
    type Err = InvalidMeasure;

    fn from_str(text: &str) -> Result<Self, InvalidMeasure> {
        let position = Self::NAMES.iter().position(|name| *name == text);
        let rule = || InvalidMeasure(format!("must be one of {}", Self::NAMES.join(", ")));
        position.map(Self).ok_or_else(rule)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which number of a metric. All but `response_time` have a mean only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Statistic {
    /// The mean, total or rate of a run.
    #[default]
    #[serde(rename = "mean")]
    Mean,
    /// Median.
    #[serde(rename = "p50")]
    P50,
    /// 90th percentile.
    #[serde(rename = "p90")]
    P90,
    /// 99th percentile.
    #[serde(rename = "p99")]
    P99,
    /// 99.9th percentile.
    #[serde(rename = "p99.9")]
    P999,
}

impl Statistic {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Mean, Self::P50, Self::P90, Self::P99, Self::P999];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P99 => "p99",
            Self::P999 => "p99.9",
        }
    }

    /// Whether a run reports this number of `metric`.
    pub fn exists_for(self, metric: Metric) -> bool {
        self == Self::Mean || metric.name() == "response_time"
    }
}

impl FromStr for Statistic {
    type Err = InvalidMeasure;

    fn from_str(text: &str) -> Result<Self, InvalidMeasure> {
        let rule = || InvalidMeasure("must be one of mean, p50, p90, p99, p99.9".to_owned());
        Self::ALL.into_iter().find(|statistic| statistic.name() == text).ok_or_else(rule)
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Units that a value may be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// None.
    Plain,
    /// `us`.
    Microseconds,
    /// `ms`.
    Milliseconds,
    /// `s`.
    Seconds,
    /// `%`.
    Percent,
    /// `cores`.
    Cores,
    /// `MiB`.
    Mebibytes,
}

const UNITS: [(&str, Unit); 9] = [
    ("", Unit::Plain),
    ("us", Unit::Microseconds),
    ("µs", Unit::Microseconds),
    ("ms", Unit::Milliseconds),
    ("s", Unit::Seconds),
    ("%", Unit::Percent),
    ("cores", Unit::Cores),
    ("MiB", Unit::Mebibytes),
    ("Mi", Unit::Mebibytes),
];

/// A value with its unit, as written: `1.98ms`, `20%`, `1.25`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasureSpec {
    /// The number.
    pub number: f64,
    /// Its unit.
    pub unit: Unit,
}

impl FromStr for MeasureSpec {
    type Err = InvalidMeasure;

    fn from_str(text: &str) -> Result<Self, InvalidMeasure> {
        let invalid = || {
            InvalidMeasure(
                "must be a number with a unit, such as `1.98ms`, `20%` or `1.25`".to_owned(),
            )
        };
        let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | '+')));
        let (number, unit) = text.split_at(end.unwrap_or(text.len()));
        let number: f64 = number.parse().map_err(|_| invalid())?;
        let unit = unit.trim_start();
        let unit = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(invalid)?.1;
        Ok(Self { number, unit })
    }
}

impl MeasureSpec {
    /// The value in the unit in which `dimension` is reported; `None` if it is written in another.
    pub fn in_unit_of(self, dimension: Dimension) -> Option<f64> {
        let factor = match (dimension, self.unit) {
            (Dimension::Time, Unit::Microseconds) => 1e-3,
            (Dimension::Time, Unit::Milliseconds) => 1.0,
            (Dimension::Time, Unit::Seconds) => 1e3,
            (Dimension::Seconds, Unit::Microseconds) => 1e-6,
            (Dimension::Seconds, Unit::Milliseconds) => 1e-3,
            (Dimension::Seconds, Unit::Seconds) => 1.0,
            (Dimension::Share | Dimension::Ratio, Unit::Percent) => 1e-2,
            (Dimension::Cores, Unit::Cores) | (Dimension::Memory, Unit::Mebibytes) => 1.0,
            (Dimension::Time | Dimension::Seconds, _) => return None,
            (_, Unit::Plain) => 1.0,
            _ => return None,
        };
        Some(self.number * factor)
    }
}

impl Dimension {
    /// How values of this kind are written, as the end of "must be …".
    pub(super) fn rule(self) -> &'static str {
        match self {
            Self::Time | Self::Seconds => "a time such as `250us`, `1.98ms` or `2s`",
            Self::Share => "a share such as `0.01` or `1%`",
            Self::Ratio => "a number such as `1.25`, or `125%`",
            Self::Count | Self::Rate => "a number",
            Self::Cores => "a number of cores such as `0.5` or `0.5cores`",
            Self::Memory => "an amount of memory in MiB such as `64` or `64MiB`",
        }
    }
}

impl fmt::Display for MeasureSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = UNITS.iter().find(|(_, unit)| *unit == self.unit).map_or("", |(name, _)| name);
        write!(f, "{}{unit}", self.number)
    }
}

/// How far off a value may be: an absolute measure, or a share of the expected value in per cent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WithinSpec {
    /// In the unit of the value.
    Absolute(MeasureSpec),
    /// As a share of the expected value, 0 to 1.
    Relative(f64),
}

impl FromStr for WithinSpec {
    type Err = InvalidMeasure;

    fn from_str(text: &str) -> Result<Self, InvalidMeasure> {
        let measure: MeasureSpec = text.parse()?;
        Ok(match measure.unit {
            Unit::Percent => Self::Relative(measure.number / 100.0),
            _ => Self::Absolute(measure),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(text: &str) -> MeasureSpec {
        text.parse().unwrap()
    }

    #[test]
    fn times_become_the_unit_of_the_metric() {
        for (text, milliseconds) in
            [("1.98ms", 1.98), ("250us", 0.25), ("2s", 2000.0), ("-1 ms", -1.0)]
        {
            assert_eq!(measure(text).in_unit_of(Dimension::Time), Some(milliseconds), "{text}");
        }
        assert_eq!(measure("1500ms").in_unit_of(Dimension::Seconds), Some(1.5));
    }

    #[test]
    fn a_unit_that_does_not_fit_is_refused() {
        assert_eq!(measure("1.98").in_unit_of(Dimension::Time), None);
        assert_eq!(measure("5ms").in_unit_of(Dimension::Share), None);
        assert_eq!(measure("5%").in_unit_of(Dimension::Count), None);
        assert_eq!(measure("5%").in_unit_of(Dimension::Share), Some(0.05));
    }

    #[test]
    fn nonsense_is_no_measure() {
        for text in ["", "ms", "1.2.3", "1 parsec", "--1", "1e3"] {
            assert!(text.parse::<MeasureSpec>().is_err(), "{text}");
        }
    }
}
