//! Simulated time in whole nanoseconds.
//!
//! Integers keep equal instants exactly equal, so the order of events never
//! hangs on rounding. A `u64` of nanoseconds spans 584 years.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

/// An instant: nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimTime(u64);

/// A length of simulated time in nanoseconds. Never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimDuration(u64);

/// Why a number or a text is no length of simulated time.
#[derive(Clone, Debug, PartialEq)]
pub enum InvalidDuration {
    /// NaN, negative, or beyond 584 years; in seconds.
    OutOfRange(f64),
    /// Not of the form `1h2m3.5s`, `250ms`, `40us`, `7ns`.
    Malformed(String),
}

impl fmt::Display for InvalidDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutOfRange(seconds) => {
                write!(f, "{seconds} s is not a duration between 0 and 584 years")
            }
            Self::Malformed(text) => write!(
                f,
                "`{text}` is not a duration; write a number and a unit (h, m, s, ms, us, ns), such as `250ms` or `1m30s`"
            ),
        }
    }
}

impl std::error::Error for InvalidDuration {}

impl SimTime {
    /// The start of every run.
    pub const ZERO: Self = Self(0);
    /// Later than anything that happens.
    pub const MAX: Self = Self(u64::MAX);

    /// The instant `nanos` nanoseconds after the start.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the start of the run.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start of the run, for statistics only.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// The time that has passed since `earlier`; zero if `earlier` is later.
    pub const fn since(self, earlier: Self) -> SimDuration {
        SimDuration(self.0.saturating_sub(earlier.0))
    }
}

impl SimDuration {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// Longer than any run: 584 years.
    pub const MAX: Self = Self(u64::MAX);

    /// `nanos` nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// `micros` microseconds.
    pub const fn from_micros(micros: u64) -> Self {
        Self(micros * 1_000)
    }

    /// `millis` milliseconds.
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }

    /// `seconds` seconds.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds * 1_000_000_000)
    }

    /// Rounds `seconds` to the nearest nanosecond: the only door from floats into simulated time.
    ///
    /// # Errors
    ///
    /// [`InvalidDuration::OutOfRange`] if `seconds` is NaN, negative or beyond 584 years.
    pub fn try_from_secs_f64(seconds: f64) -> Result<Self, InvalidDuration> {
        let nanos = (seconds * 1e9).round();
        if (0.0..u64::MAX as f64).contains(&nanos) {
            Ok(Self(nanos as u64))
        } else {
            Err(InvalidDuration::OutOfRange(seconds))
        }
    }

    /// Nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds, for statistics only.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Milliseconds, for statistics and tables only.
    pub fn as_millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// `self` times `factor`, at most [`SimDuration::MAX`].
    pub const fn saturating_mul(self, factor: u64) -> Self {
        Self(self.0.saturating_mul(factor))
    }

    /// `self` less `other`; zero if `other` is longer.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Whether it is no time at all.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl Add<SimDuration> for SimTime {
    type Output = Self;

    /// Saturates at [`SimTime::MAX`], which no run reaches.
    fn add(self, length: SimDuration) -> Self {
        Self(self.0.saturating_add(length.0))
    }
}

impl AddAssign<SimDuration> for SimTime {
    fn add_assign(&mut self, length: SimDuration) {
        *self = *self + length;
    }
}

impl Add for SimDuration {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for SimDuration {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for SimDuration {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.saturating_sub(other)
    }
}

impl Mul<u64> for SimDuration {
    type Output = Self;

    fn mul(self, factor: u64) -> Self {
        self.saturating_mul(factor)
    }
}

impl Div<u64> for SimDuration {
    type Output = Self;

    fn div(self, divisor: u64) -> Self {
        Self(self.0 / divisor)
    }
}

impl std::str::FromStr for SimDuration {
    type Err = InvalidDuration;

    /// Reads Go's duration syntax, as Istio, Envoy and Gateway API write it: `1h2m3.5s`, `250ms`.
    /// A bare `0` is zero; any other bare number is refused, because nobody can tell its unit.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let malformed = || InvalidDuration::Malformed(text.to_owned());
        if text == "0" {
            return Ok(Self::ZERO);
        }
        let mut rest = text;
        let mut seconds = 0.0;
        if rest.is_empty() {
            return Err(malformed());
        }
        while !rest.is_empty() {
            let digits = rest
                .find(|c: char| !c.is_ascii_digit() && c != '.')
                .filter(|&end| end > 0)
                .ok_or_else(malformed)?;
            let number: f64 = rest[..digits].parse().map_err(|_| malformed())?;
            rest = &rest[digits..];
            let letters = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
            seconds += number * seconds_of_unit(&rest[..letters]).ok_or_else(malformed)?;
            rest = &rest[letters..];
        }
        Self::try_from_secs_f64(seconds)
    }
}

fn seconds_of_unit(unit: &str) -> Option<f64> {
    Some(match unit {
        "h" => 3600.0,
        "m" => 60.0,
        "s" => 1.0,
        "ms" => 1e-3,
        "us" | "µs" | "μs" => 1e-6,
        "ns" => 1e-9,
        _ => return None,
    })
}

impl<'de> Deserialize<'de> for SimDuration {
    /// Takes Go's duration syntax, and a bare 0.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct GoSyntax;

        impl Visitor<'_> for GoSyntax {
            type Value = SimDuration;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration such as `250ms`, `10s` or `1m30s`")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<SimDuration, E> {
                text.parse().map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<SimDuration, E> {
                match number {
                    0 => Ok(SimDuration::ZERO),
                    _ => Err(E::invalid_type(Unexpected::Unsigned(number), &self)),
                }
            }
        }

        deserializer.deserialize_any(GoSyntax)
    }
}

impl fmt::Display for SimDuration {
    /// The shortest exact form in one unit: `10s`, `250ms`, `1.5s`, `40us`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0;
        let (divisor, unit) = match nanos {
            0 => (1_000_000_000, "s"),
            n if n >= 1_000_000_000 => (1_000_000_000, "s"),
            n if n >= 1_000_000 => (1_000_000, "ms"),
            n if n >= 1_000 => (1_000, "us"),
            _ => (1, "ns"),
        };
        let whole = nanos / divisor;
        let fraction = nanos % divisor;
        if fraction == 0 {
            write!(f, "{whole}{unit}")
        } else {
            let width = (divisor as f64).log10() as usize;
            let digits = format!("{fraction:0width$}");
            write!(f, "{whole}.{}{unit}", digits.trim_end_matches('0'))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_as_istio_writes_them() {
        for (text, nanos) in [
            ("0", 0),
            ("0s", 0),
            ("250ms", 250_000_000),
            ("0.25s", 250_000_000),
            ("1m30s", 90_000_000_000),
            ("1h", 3_600_000_000_000),
            ("500us", 500_000),
            ("1.5ms", 1_500_000),
        ] {
            assert_eq!(text.parse(), Ok(SimDuration::from_nanos(nanos)), "{text}");
        }
    }

    #[test]
    fn a_number_without_a_unit_a_day_and_nonsense_are_refused() {
        for text in ["10", "1d", "", "s", "-1s", "1..5s", "1s2", "∞s", "99999999999h"] {
            assert!(text.parse::<SimDuration>().is_err(), "{text}");
        }
    }

    #[test]
    fn files_give_durations_as_text_or_a_bare_zero() {
        let read = |json| serde_json::from_str::<SimDuration>(json).ok();
        assert_eq!(read("\"250ms\""), Some(SimDuration::from_millis(250)));
        assert_eq!(read("0"), Some(SimDuration::ZERO));
        assert_eq!(read("10"), None);
        assert_eq!(read("\"1d\""), None);
    }

    #[test]
    fn a_duration_is_shown_in_the_shortest_exact_form() {
        for text in ["0s", "10s", "1.5s", "250ms", "40us", "7ns", "1.000000001s"] {
            assert_eq!(text.parse::<SimDuration>().unwrap().to_string(), text);
        }
    }
}
