//! How an expectation of the experiment file fared.

use super::{Estimate, MeasureId};

/// One expectation, what was wanted and what came out.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectationOutcome {
    /// The expectation in words, such as `P50 of response_time, sidecar over none, at load.rate=200`.
    pub text: String,
    /// The variant it speaks of.
    pub variant: String,
    /// The sweep point it speaks of; empty without a sweep.
    pub point: String,
    /// The quantity it speaks of.
    pub measure: MeasureId,
    /// What the variant is compared with, if with anything.
    pub versus: Option<Comparison>,
    /// What came out; none if nothing was measured.
    pub ours: Option<Estimate>,
    /// Which values are right; in the metric's unit, or a plain number for a ratio.
    pub wanted: Wanted,
    /// Whether it holds.
    pub verdict: Verdict,
    /// Where the wanted value comes from; may be empty.
    pub source: String,
}

impl ExpectationOutcome {
    /// Unit of what came out and of what was wanted; `1` for a ratio.
    pub const fn unit(&self) -> &'static str {
        match self.versus {
            Some(Comparison::Ratio(_)) => "1",
            _ => self.measure.metric.unit(),
        }
    }
}

/// How a variant is compared with another, replication by replication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The variant less this one.
    Difference(String),
    /// The variant divided by this one.
    Ratio(String),
}

impl Comparison {
    /// The variant compared with.
    pub fn variant(&self) -> &str {
        match self {
            Self::Difference(variant) | Self::Ratio(variant) => variant,
        }
    }
}

/// Which values are right.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wanted {
    /// The published or expected value (`is`), if there is one.
    pub target: Option<f64>,
    /// Smallest value accepted; none is no limit.
    pub low: Option<f64>,
    /// Largest value accepted; none is no limit.
    pub high: Option<f64>,
}

impl Wanted {
    /// `target`, give or take `tolerance`.
    pub fn within(target: f64, tolerance: f64) -> Self {
        Self { target: Some(target), low: Some(target - tolerance), high: Some(target + tolerance) }
    }

    /// Whether `value` is accepted; NaN never is.
    pub fn admits(&self, value: f64) -> bool {
        self.low.unwrap_or(f64::NEG_INFINITY) <= value
            && value <= self.high.unwrap_or(f64::INFINITY)
    }
}

/// Whether an expectation holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The value is as wanted.
    Met,
    /// The value is not as wanted.
    Missed,
    /// There is no such value: the variant, point or quantity did not occur.
    Unmeasured,
}

impl Verdict {
    /// Lower-case name, as in the CSV files.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Missed => "missed",
            Self::Unmeasured => "unmeasured",
        }
    }

    /// One letter for tables.
    pub const fn mark(self) -> &'static str {
        match self {
            Self::Met => "✓",
            Self::Missed => "✗",
            Self::Unmeasured => "?",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_includes_its_borders_and_nothing_beyond() {
        let wanted = Wanted::within(2.0, 0.25);
        assert!(wanted.admits(1.75) && wanted.admits(2.25));
        assert!(!wanted.admits(1.749) && !wanted.admits(2.251) && !wanted.admits(f64::NAN));
    }

    #[test]
    fn a_missing_limit_is_no_limit() {
        let at_most = Wanted { high: Some(20.0), ..Wanted::default() };
        assert!(at_most.admits(-1e300) && at_most.admits(20.0) && !at_most.admits(20.1));
    }
}
