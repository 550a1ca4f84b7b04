//! One claim of the verification ladder.

use std::fmt;

use serde::Serialize;

use super::effort::Effort;
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
    /// A published measurement.
    Published,
    /// The user's own measurement.
    User,
}

impl Kind {
    /// All kinds, from theory down the ladder.
    pub const ALL: [Self; 5] = [Self::Theory, Self::Envoy, Self::Seed, Self::Published, Self::User];

    /// As on the command line and in JSON.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Theory => "theory",
            Self::Envoy => "envoy",
            Self::Seed => "seed",
            Self::Published => "published",
            Self::User => "user",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
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

impl Verdict {
    /// As in JSON.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Shown => "shown",
        }
    }

    fn of(holds: bool) -> Self {
        if holds { Self::Pass } else { Self::Fail }
    }
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
    /// Lower end of its confidence interval: 99 % for theory, else 95 %.
    pub ci_low: f64,
    /// Upper end.
    pub ci_high: f64,
    /// Unit of the four values.
    pub unit: String,
    /// Whether they agree.
    pub verdict: Verdict,
    /// Whether the reference was used to fit a parameter.
    pub fitted: bool,
    /// Formula, page or data row of the reference.
    pub source: String,
}

/// What a claim is compared with.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    /// What is claimed, in words.
    pub(super) claim: String,
    /// The value.
    pub(super) value: f64,
    /// Its unit.
    pub(super) unit: String,
    /// Where it comes from.
    pub(super) source: String,
}

impl Reference {
    pub(super) fn new(claim: impl Into<String>, value: f64, unit: &str, source: &str) -> Self {
        Self { claim: claim.into(), value, unit: unit.to_owned(), source: source.to_owned() }
    }
}

impl Claim {
    /// A claim of theory: the reference must lie inside the interval, and that be narrow, for a
    /// wide interval would contain anything.
    pub(super) fn of_theory(reference: Reference, ours: Interval, effort: Effort) -> Self {
        let holds = ours.contains(reference.value)
            && ours.relative_half_width() <= effort.widest_half_width();
        Self { verdict: Verdict::of(holds), ..Self::shown(Kind::Theory, reference, ours) }
    }

    /// A measurement beside ours, for the reader to judge.
    pub(super) fn shown(kind: Kind, reference: Reference, ours: Interval) -> Self {
        Self {
            claim: reference.claim,
            kind,
            reference: reference.value,
            ours: ours.estimate,
            ci_low: ours.low,
            ci_high: ours.high,
            unit: reference.unit,
            verdict: Verdict::Shown,
            fitted: false,
            source: reference.source,
        }
    }

    /// The same claim, decided: ours lies within `tolerance` of the reference, in its unit.
    pub(super) fn within(mut self, tolerance: f64) -> Self {
        // A rounding error of binary fractions is no miss.
        let holds = (self.ours - self.reference).abs() <= tolerance * (1.0 + 1e-9);
        self.verdict = Verdict::of(holds);
        // Limits that are shares of a reference have no more digits than that.
        let stated = (tolerance * 1e6).round() / 1e6;
        self.claim = format!("{}, within {stated} {}", self.claim, self.unit);
        self
    }

    /// The same claim, decided: the whole interval lies at or below the reference.
    pub(super) fn at_most_the_reference(mut self) -> Self {
        self.verdict = Verdict::of(self.ci_high <= self.reference);
        self
    }

    /// The same claim, marked: its reference was used to fit a parameter.
    pub(super) fn fitted(self) -> Self {
        Self { fitted: true, ..self }
    }

    /// Ours less the reference, as a share of the reference; none if that is zero.
    pub fn relative_error(&self) -> Option<f64> {
        let error = (self.ours - self.reference) / self.reference.abs();
        error.is_finite().then_some(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference(value: f64) -> Reference {
        Reference::new("a wait", value, "ms", "somewhere")
    }

    fn interval(low: f64, estimate: f64, high: f64) -> Interval {
        Interval { estimate, low, high }
    }

    fn theory(low: f64, high: f64) -> Verdict {
        let ours = interval(low, (low + high) / 2.0, high);
        Claim::of_theory(reference(10.0), ours, Effort::FULL).verdict
    }

    #[test]
    fn theory_wants_a_narrow_interval_around_the_reference() {
        assert_eq!(theory(9.95, 10.05), Verdict::Pass);
        assert_eq!(theory(9.8, 9.9), Verdict::Fail, "beside it");
        assert_eq!(theory(9.0, 11.0), Verdict::Fail, "around it, but wide");
        assert_eq!(theory(f64::NAN, f64::NAN), Verdict::Fail, "nothing was observed");
    }

    #[test]
    fn a_measurement_decides_only_where_a_tolerance_is_stated() {
        let shown = Claim::shown(Kind::Seed, reference(2.0), interval(2.0, 2.1, 2.2));
        assert_eq!(shown.verdict, Verdict::Shown);
        let near = shown.clone().within(0.1);
        assert_eq!((near.verdict, near.claim.as_str()), (Verdict::Pass, "a wait, within 0.1 ms"));
        assert_eq!(shown.clone().within(0.05).verdict, Verdict::Fail);
        assert_eq!(shown.clone().at_most_the_reference().verdict, Verdict::Fail);
        assert!(shown.fitted().fitted);
    }

    #[test]
    fn the_error_has_the_sign_of_ours_less_the_reference() {
        let error = |value, ours| {
            Claim::shown(Kind::Seed, reference(value), interval(ours, ours, ours)).relative_error()
        };
        assert_eq!(error(2.0, 1.0), Some(-0.5));
        assert_eq!(error(-2.0, -1.0), Some(0.5));
        assert_eq!(error(0.0, 1.0), None);
    }

    /// Scripts rely on these names.
    #[test]
    fn json_has_exactly_the_promised_fields() {
        let claim = Claim::shown(Kind::Published, reference(2.0), interval(1.0, 1.5, 2.0));
        assert_eq!(
            serde_json::to_string(&claim).unwrap(),
            r#"{"claim":"a wait","kind":"published","reference":2.0,"ours":1.5,"ci_low":1.0,"ci_high":2.0,"unit":"ms","verdict":"shown","fitted":false,"source":"somewhere"}"#
        );
    }
}
