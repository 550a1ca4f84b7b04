//! Expectations: which number, of which cell, compared with which other, and what is right.

use super::point::{Point, points};
use super::result::estimate::paired;
use super::result::measure::Measures;
use super::result::{
    Comparison, Estimate, ExpectationOutcome, MeasureId, Metric, Statistic, Verdict, Wanted,
};
use crate::scenario::spec::{self, ExpectationSpec, ExperimentSpec, SweepSpec, WithinSpec};

/// A claim about one number of one variant, at some of the sweep points.
#[derive(Clone, Debug)]
pub(super) struct Expectation {
    measure: MeasureId,
    variant: String,
    /// The variant compared with, and whether by difference or ratio.
    versus: Option<Comparison>,
    wanted: Wanted,
    /// The points it speaks of, in their order.
    places: Vec<Place>,
    source: String,
}

/// A sweep point, and the other one it is compared with, if it is another.
#[derive(Clone, Debug)]
struct Place {
    point: String,
    /// Name of the other point, and what differs there in words.
    other: Option<(String, String)>,
}

/// The numbers of every replication of a cell.
pub(super) struct Observed<'a> {
    pub(super) variant: &'a str,
    pub(super) point: &'a str,
    pub(super) runs: Vec<Measures>,
}

/// Turns what `experiment` expects, which has been checked, into claims. `only_variant` is meant
/// where none is named.
pub(super) fn expectations(experiment: &ExperimentSpec, only_variant: &str) -> Vec<Expectation> {
    let claim = |expectation| Expectation::new(expectation, experiment, only_variant);
    experiment.expect.iter().filter_map(claim).collect()
}

/// The number of `summary.csv` that the experiment's words name.
pub(super) fn measure(
    metric: spec::Metric,
    statistic: spec::Statistic,
    scope: &str,
) -> Option<MeasureId> {
    let metric = Metric::from_name(metric.name())?;
    let statistic = Statistic::from_name(statistic.name())?;
    Some(MeasureId { metric, scope: scope.to_owned(), statistic })
}

/// Which values are right, in the unit in which the metric is reported.
fn wanted(expectation: &ExpectationSpec) -> Wanted {
    let dimension = expectation.dimension();
    let value = |measure: Option<spec::MeasureSpec>| measure?.in_unit_of(dimension);
    let target = value(expectation.is);
    let tolerance = match expectation.within {
        Some(WithinSpec::Absolute(distance)) => distance.in_unit_of(dimension),
        Some(WithinSpec::Relative(share)) => target.map(|target| share * target.abs()),
        None => None,
    };
    let around = target.zip(tolerance).map(|(target, tolerance)| Wanted::within(target, tolerance));
    let around = around.unwrap_or(Wanted { target, low: target, high: target });
    let (least, most) = (value(expectation.at_least), value(expectation.at_most));
    Wanted {
        target,
        low: tighter(around.low, least, f64::max),
        high: tighter(around.high, most, f64::min),
    }
}

fn tighter(one: Option<f64>, other: Option<f64>, choose: fn(f64, f64) -> f64) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(choose(one, other)),
        (one, other) => one.or(other),
    }
}

impl Expectation {
    fn new(
        expectation: &ExpectationSpec,
        experiment: &ExperimentSpec,
        only_variant: &str,
    ) -> Option<Self> {
        let named = expectation.variant.clone();
        let variant = named.unwrap_or_else(|| only_variant.to_owned());
        let own = Some(variant.clone()).filter(|_| !expectation.versus_at.is_empty());
        let ratio = expectation.over.clone().map(Comparison::Ratio);
        let difference = expectation.versus.clone().or(own).map(Comparison::Difference);
        let scope = expectation.scope.as_deref().unwrap_or_default();
        Some(Self {
            measure: measure(expectation.metric, expectation.statistic, scope)?,
            variant,
            versus: ratio.or(difference),
            wanted: wanted(expectation),
            places: places(expectation, &experiment.sweep),
            source: expectation.source.clone().unwrap_or_default(),
        })
    }

    /// How it fared at each of its points.
    pub(super) fn judge(&self, observed: &[Observed<'_>]) -> Vec<ExpectationOutcome> {
        self.places.iter().map(|place| self.judge_at(place, observed)).collect()
    }

    fn judge_at(&self, place: &Place, observed: &[Observed<'_>]) -> ExpectationOutcome {
        let ours = self.estimate(place, observed);
        let verdict = match ours {
            None => Verdict::Unmeasured,
            Some(estimate) if self.wanted.admits(estimate.value) => Verdict::Met,
            Some(_) => Verdict::Missed,
        };
        ExpectationOutcome {
            text: self.text(place),
            variant: self.variant.clone(),
            point: place.point.clone(),
            measure: self.measure.clone(),
            versus: self.versus.as_ref().map(|versus| place.counterpart(versus, &self.variant)),
            ours,
            wanted: self.wanted,
            verdict,
            source: self.source.clone(),
        }
    }

    fn estimate(&self, place: &Place, observed: &[Observed<'_>]) -> Option<Estimate> {
        let runs_of = |variant: &str, point: &str| {
            let cell = observed.iter().find(|c| c.variant == variant && c.point == point)?;
            Some(&cell.runs)
        };
        let ours = runs_of(&self.variant, &place.point)?;
        let id = MeasureId { scope: full_scope(&self.measure, ours)?, ..self.measure.clone() };
        let Some(versus) = &self.versus else {
            let values: Vec<f64> = ours.iter().filter_map(|run| run.get(&id).copied()).collect();
            return Estimate::of(&values);
        };
        let other_point = place.other.as_ref().map_or(&place.point, |(point, _)| point);
        let theirs = runs_of(versus.variant(), other_point)?;
        match versus {
            Comparison::Difference(_) => paired(ours, theirs, &id, |a, b| a - b),
            Comparison::Ratio(_) => paired(ours, theirs, &id, |a, b| a / b),
        }
    }

    /// `p50 of response_time, sidecar over none, at load.rate=200`.
    fn text(&self, place: &Place) -> String {
        let mut text = match self.measure.statistic {
            Statistic::Mean => self.measure.metric.name().to_owned(),
            statistic => format!("{} of {}", statistic.name(), self.measure.metric.name()),
        };
        if !self.measure.scope.is_empty() {
            text.push_str(&format!(" of {}", self.measure.scope));
        }
        let versus = self.versus.as_ref().map(|versus| place.counterpart(versus, &self.variant));
        text.push_str(&match versus {
            None => format!(", {}", self.variant),
            Some(Comparison::Difference(other)) => format!(", {} over {other}", self.variant),
            Some(Comparison::Ratio(other)) => format!(", {} : {other}", self.variant),
        });
        if !place.point.is_empty() {
            text.push_str(&format!(", at {}", place.point));
        }
        text
    }
}

impl Place {
    /// What is compared with, in words: `none`, `none at load.rate=200`, `load.rate=200`.
    fn counterpart(&self, versus: &Comparison, variant: &str) -> Comparison {
        let Some((_, difference)) = &self.other else { return versus.clone() };
        let words = match versus.variant() {
            own if own == variant => difference.clone(),
            other => format!("{other} at {difference}"),
        };
        match versus {
            Comparison::Difference(_) => Comparison::Difference(words),
            Comparison::Ratio(_) => Comparison::Ratio(words),
        }
    }
}

/// The points that `expectation` speaks of. One that is its own counterpart is left out.
fn places(expectation: &ExpectationSpec, sweep: &SweepSpec) -> Vec<Place> {
    let all = points(sweep);
    let (at, versus_at) = (&expectation.at, &expectation.versus_at);
    let differs = |point: &&Point<'_>| versus_at.is_empty() || !point.has(versus_at, sweep);
    let meant = all.iter().filter(|point| point.has(at, sweep)).filter(differs);
    let place = |point: &Point<'_>| {
        let other = point.moved_to(versus_at, sweep);
        let other = other.map(|other| (other.name(), other.difference_from(point).name()));
        Place { point: point.name(), other }
    };
    meant.map(place).collect()
}

/// The scope of the results that is meant: as written, or the only one that adds namespaces to
/// its names (`workload=payment` for `workload=shop/payment`).
fn full_scope(measure: &MeasureId, runs: &[Measures]) -> Option<String> {
    let mut scopes: Vec<&str> = runs
        .iter()
        .flat_map(|run| run.keys())
        .filter(|id| id.metric == measure.metric && id.statistic == measure.statistic)
        .map(|id| id.scope.as_str())
        .filter(|scope| is_meant(&measure.scope, scope))
        .collect();
    scopes.sort_unstable();
    scopes.dedup();
    match scopes.as_slice() {
        [only] => Some((*only).to_owned()),
        several => several.contains(&measure.scope.as_str()).then(|| measure.scope.clone()),
    }
}

fn is_meant(written: &str, full: &str) -> bool {
    let same_part =
        |(written, full): (&str, &str)| match (written.split_once('='), full.split_once('=')) {
            (Some((word, name)), Some((full_word, full_name))) => {
                let bare = full_name.split_once('/').map_or(full_name, |(_, bare)| bare);
                word == full_word && (name == full_name || name == bare)
            }
            _ => written == full,
        };
    written.split(';').count() == full.split(';').count()
        && written.split(';').zip(full.split(';')).all(same_part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::manifests::load_text;
    use crate::import::own::read_own;

    const EXPERIMENT: &str = r#"
apiVersion: meshsim/v1
kind: Experiment
metadata: {name: e}
spec:
  model: m
  load: [{from: client, to: "http://echo:80/", rate: 1}]
  variants: [{name: none}, {name: sidecar}]
  sweep: {load.rate: [200, 1000]}
  expect:
"#;

    fn one(line: &str) -> Expectation {
        let manifests = load_text("e.yaml", &format!("{EXPERIMENT}    - {line}\n"));
        let mut problems = manifests.problems;
        let own = read_own(&manifests.objects, &mut problems);
        assert!(!problems.has_errors(), "{problems}");
        expectations(&own.experiments[0].spec, "none").remove(0)
    }

    fn p50(milliseconds: f64) -> Measures {
        Measures::from([(MeasureId::whole(Metric::ResponseTime, Statistic::P50), milliseconds)])
    }

    fn observed() -> Vec<Observed<'static>> {
        let cell = |variant, runs: [f64; 2]| Observed {
            variant,
            point: "load.rate=200",
            runs: runs.map(p50).into(),
        };
        vec![cell("none", [1.0, 3.0]), cell("sidecar", [2.0, 4.5])]
    }

    #[test]
    fn differences_and_ratios_are_paired_by_replication() {
        let versus = one(
            "{metric: response_time, statistic: p50, variant: sidecar, versus: none, at: {rate: 200}, is: 1.2ms, within: 0.05ms, source: s}",
        );
        let outcomes = versus.judge(&observed());
        let [outcome] = outcomes.as_slice() else { panic!("one point is meant") };
        assert_eq!(outcome.text, "p50 of response_time, sidecar over none, at load.rate=200");
        assert_eq!((outcome.verdict, outcome.source.as_str()), (Verdict::Met, "s"));
        assert!((outcome.ours.unwrap().value - 1.25).abs() < 1e-12);
        assert_eq!(outcome.ours.unwrap().replications, 2);

        let over = one(
            "{metric: response_time, statistic: p50, variant: sidecar, over: none, is: 1.5, within: 10%}",
        );
        let outcomes = over.judge(&observed());
        assert!((outcomes[0].ours.unwrap().value - 1.75).abs() < 1e-12);
        assert_eq!((outcomes[0].verdict, outcomes[0].unit()), (Verdict::Missed, "1"));
        assert_eq!(outcomes[1].verdict, Verdict::Unmeasured, "nothing was run at 1000");
        assert_eq!(outcomes[0].text, "p50 of response_time, sidecar : none, at load.rate=200");
    }

    #[test]
    fn points_are_compared_with_each_other() {
        let mut cells = observed();
        let faster = Observed {
            variant: "sidecar",
            point: "load.rate=1000",
            runs: vec![p50(1.5), p50(4.0)],
        };
        cells.push(faster);
        let falls = one(
            "{metric: response_time, statistic: p50, variant: sidecar, at: {rate: 1000}, versusAt: {rate: 200}, atMost: 0ms}",
        );
        let outcome = &falls.judge(&cells)[0];
        assert_eq!(
            outcome.text,
            "p50 of response_time, sidecar over load.rate=200, at load.rate=1000"
        );
        assert!((outcome.ours.unwrap().value + 0.5).abs() < 1e-12);
        assert_eq!(outcome.verdict, Verdict::Met);

        let ratio = one(
            "{metric: response_time, statistic: p50, variant: sidecar, over: none, versusAt: {rate: 200}, atMost: 2}",
        );
        let outcomes = ratio.judge(&cells);
        assert_eq!(outcomes.len(), 1, "the point at 200 is its own counterpart");
        assert_eq!(outcomes[0].versus, Some(Comparison::Ratio("none at load.rate=200".into())));
    }

    #[test]
    fn bounds_and_tolerance_are_in_the_unit_of_the_metric() {
        let wanted = |rest: &str| {
            one(&format!("{{metric: response_time, statistic: p99, variant: none, {rest}}}")).wanted
        };
        assert_eq!(wanted("is: 2ms, within: 500us"), Wanted::within(2.0, 0.5));
        assert_eq!(wanted("is: 2ms, within: 50%"), Wanted::within(2.0, 1.0));
        assert_eq!(wanted("atMost: 0.02s"), Wanted { target: None, low: None, high: Some(20.0) });
        assert_eq!(
            wanted("is: 2ms, within: 1ms, atLeast: 1.5ms"),
            Wanted { target: Some(2.0), low: Some(1.5), high: Some(3.0) }
        );
    }

    /// The reader and the report each have a list; what the one accepts the other must report.
    #[test]
    fn every_number_that_can_be_asked_for_is_reported() {
        for name in spec::Metric::NAMES {
            let metric = Metric::from_name(name);
            assert!(metric.is_some(), "{name}");
        }
        for statistic in spec::Statistic::ALL {
            assert!(Statistic::from_name(statistic.name()).is_some(), "{statistic}");
        }
    }

    #[test]
    fn a_scope_may_leave_out_namespaces() {
        for (written, full, meant) in [
            ("workload=a", "workload=shop/a", true),
            ("workload=shop/a", "workload=shop/a", true),
            ("workload=test/a", "workload=shop/a", false),
            ("source=a;destination=b", "source=x/a;destination=y/b", true),
            ("source=a", "source=x/a;destination=y/b", false),
            ("proxy=sidecar", "proxy=sidecar", true),
            ("", "", true),
            ("", "node=n", false),
        ] {
            assert_eq!(is_meant(written, full), meant, "{written} {full}");
        }
    }
}
