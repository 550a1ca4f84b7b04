//! The EKS study: one client with sixteen connections in step, four data planes.

use crate::import::calibration::shipped_calibration;
use crate::scenario::problem::Problems;

use super::bench::{Bench, Plane};
use super::claim::{Claim, Kind, Reference};
use super::effort::Effort;
use super::figures::{Figure, Series, series};
use super::prediction::{Predictor, reference};
use super::replication::{difference, interval};
use super::suite::Suite;

/// The claims of the EKS study.
pub(super) fn suites() -> Vec<Suite> {
    vec![Suite {
        kind: Kind::Seed,
        title: "The EKS study",
        method: "`models/echo` under the calibration `eks-arm64-istio-1.31`: one client pod, 16 \
                 connections in step, three echo pods on another node. Differences are paired by \
                 replication. P50 differences and the CPU ratios at 1000 rps were used to fit \
                 that calibration and are marked so; the ratios at 200 rps, the order of the two \
                 rates without a mesh, P99 and P99.9 were not.",
        remark: "P99 was published for a rate that the text does not state (1000 rps is taken), \
                 out of a histogram with bins of 0.5 ms; P99.9 as an upper bound of the runs \
                 without a spike. Ours has the spikes in it: stalls of a node hit a share of the \
                 replications.",
        simulate: claims,
    }]
}

/// How far from the study ours may be, in milliseconds: what this project promises.
fn tolerance_ms(mode: &str) -> f64 {
    match mode {
        "ambient-l4" => 0.1,
        "sidecar" => 0.2,
        _ => 0.25,
    }
}

fn claims(effort: Effort) -> Result<Vec<Claim>, Problems> {
    let (_, costs) = shipped_calibration("eks-arm64-istio-1.31")?;
    let bench = Bench::echo(costs)?;
    let (series, figures) = series("eks-study")?;
    let mut predictor = Predictor::new(&bench, effort);
    let mut claims = Vec::new();
    for figure in &figures {
        let ours = predictor.predict(figure)?;
        claims.push(judge(figure, Claim::shown(Kind::Seed, reference(&series, figure), ours)));
    }
    claims.extend(order_of_rates(&series, &figures, &mut predictor)?);
    claims.push(no_errors(&series, &figures, &mut predictor)?);
    Ok(claims)
}

/// Which figures decide, and which were fitted.
fn judge(figure: &Figure, claim: Claim) -> Claim {
    let at_1000 = figure.rate_rps == Some(1000.0);
    match figure.metric.as_str() {
        "response_time_added" => claim.within(tolerance_ms(&figure.mode)).fitted(),
        "cpu_ratio" if at_1000 => claim.within(figure.value * 0.1).fitted(),
        "cpu_ratio" => claim.within(figure.value * 0.1),
        _ => claim,
    }
}

/// P50 falls as the rate rises, because idle threads have to be woken.
fn order_of_rates(
    series: &Series,
    figures: &[Figure],
    predictor: &mut Predictor<'_>,
) -> Result<Vec<Claim>, Problems> {
    let at = |rate| figures.iter().find(|f| f.rate_rps == Some(rate) && f.statistic == "P50");
    let (Some(low), Some(high)) = (at(200.0), at(1000.0)) else { return Ok(Vec::new()) };
    let claim = |&(mode, plane): &(&str, Plane)| {
        let slow = predictor.response_times(plane, low)?;
        let fast = predictor.response_times(plane, high)?;
        let text =
            format!("{}: P50 at 1000 rps less P50 at 200 rps is negative, {mode}", series.title);
        let reference = Reference::new(text, 0.0, "ms", &series.source);
        let claim = Claim::shown(Kind::Seed, reference, difference(&slow, &fast));
        let claim = claim.at_most_the_reference();
        Ok(if plane == Plane::None { claim } else { claim.fitted() })
    };
    Plane::ALL.iter().map(claim).collect()
}

/// The study saw no error in any cell.
fn no_errors(
    series: &Series,
    figures: &[Figure],
    predictor: &mut Predictor<'_>,
) -> Result<Claim, Problems> {
    let mut failed = Vec::new();
    for figure in figures.iter().filter(|figure| figure.metric == "response_time_added") {
        for (_, plane) in Plane::ALL {
            failed.extend(predictor.failed(plane, figure)?);
        }
    }
    let text = format!("{}: failed requests per run", series.title);
    let reference = Reference::new(text, 0.0, "requests", &series.source);
    Ok(Claim::shown(Kind::Seed, reference, interval(&failed)).at_most_the_reference())
}
