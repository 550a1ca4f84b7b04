//! One claim of the verification ladder.

use serde::Serialize;

use crate::stats::Interval;

/// Where the reference comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A formula of queueing theory.
    Theory,
    /// A real Envoy.
    Envoy,
    /// The founding measurement on EKS.
    Seed,
    /// A published measurement that was not used for fitting.
    Published,
    /// The user's own measurement.
    User,
}

/// Whether a claim holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Ours agrees with the reference within the stated limits.
    Pass,
    /// It does not.
    Fail,
    /// Compared for the reader; good or bad, it decides nothing.
    Shown,
}

/// A claim, its reference, and what the simulator says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// What is claimed, in words.
    pub claim: String,
    /// Where the reference comes from.
    pub kind: Kind,
    /// The value that ours is compared with.
    pub reference: f64,
    /// The simulator's estimate.
    pub ours: f64,
    /// Lower end of its confidence interval.
    pub ci_low: f64,
    /// Upper end.
    pub ci_high: f64,
    /// Unit of the four values.
    pub unit: &'static str,
    /// Whether they agree.
    pub verdict: Verdict,
    /// Whether the reference was used to fit a parameter.
    pub fitted: bool,
    /// Formula, page or data row of the reference.
    pub source: &'static str,
}

/// The widest half-width of an interval that may support a claim of theory, as a share of the
/// value: a wide interval would contain anything.
const WIDEST_HALF_WIDTH: f64 = 0.01;

impl Claim {
    /// A claim of theory: the reference must lie inside the interval, and that be narrow.
    pub(super) fn of_theory(
        claim: &str,
        reference: f64,
        ours: Interval,
        unit: &'static str,
        source: &'static str,
    ) -> Self {
        let holds = ours.contains(reference) && ours.relative_half_width() <= WIDEST_HALF_WIDTH;
        Self {
            claim: claim.to_owned(),
            kind: Kind::Theory,
            reference,
            ours: ours.estimate,
            ci_low: ours.low,
            ci_high: ours.high,
            unit,
            verdict: if holds { Verdict::Pass } else { Verdict::Fail },
            fitted: false,
            source,
        }
    }

    /// Ours less the reference, as a share of the reference.
    pub fn relative_error(&self) -> f64 {
        (self.ours - self.reference) / self.reference
    }
}
