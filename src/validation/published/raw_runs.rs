//! Raw runs of Istio 1.7: the one public data set with response times and CPU over both rate and
//! connections.

use crate::import::calibration::shipped_calibration;
use crate::scenario::problem::Problems;
use crate::validation::bench::Bench;
use crate::validation::claim::{Claim, Kind};
use crate::validation::effort::Effort;
use crate::validation::figures::Figure;
use crate::validation::prediction::predict_series;
use crate::validation::suite::Suite;

const CALIBRATION: &str = "gke-istio-1.7";

pub(super) fn suites() -> Vec<Suite> {
    let suite = |title, method, remark, simulate| Suite {
        kind: Kind::Published,
        title,
        method,
        remark,
        simulate,
    };
    vec![
        suite(
            "Raw runs of Istio 1.7: no proxy",
            "`models/two-pods` under `gke-istio-1.7`, 10 to 3000 requests per second, 2 to 64 \
             connections in step. The wake-up and the network of that calibration were fitted to \
             the P50s of 16 connections and one P99.",
            "At 10 rps the measured median is longer and the tail shorter than ours: one law of \
             wake-ups with a cap does not fit gaps of more than a second.",
            base,
        ),
        suite(
            "Raw runs of Istio 1.7: default telemetry",
            "The same through two sidecars. CPU per request was fitted at one load, 1000 \
             requests per second over 16 connections. That the load generator's connections wake \
             one after another (`launchWakeShare`) was found on the P50s of this series, which \
             count as fitted; P90, P99 and CPU at the other loads are predicted.",
            "Measured CPU per request halves from 100 to 3000 rps and ours hardly falls. \
             Wake-ups and batches cannot be the cause: from 2 to 64 connections at 1000 rps they \
             differ by a factor of three, and the measured CPU hardly does. Missing: whatever \
             follows the rate alone, such as a clock that follows utilization \
             (docs/decisions/0004). Response times of small bursts and high rates are a fifth to \
             a third too short here, but not without Istio's filters (next table): the telemetry \
             of that build delays a response by more than its share of CPU.",
            with_telemetry,
        ),
        suite(
            "Raw runs of Istio 1.7: no Istio filters",
            "The same, with `telemetryCpu` taken off both sidecars: the difference of the two \
             series at 1000 requests per second over 16 connections, whose CPU therefore counts \
             as fitted. All else is predicted.",
            "As above for CPU. With 2 to 8 connections response times are a fifth too short: a \
             lone request through two sidecars takes some 0.3 ms more than the work, hops and \
             wake-ups of the model.",
            without_filters,
        ),
        suite(
            "Latency added by sidecars, Istio 1.7 page",
            "The same build, as its page was published: P90 and P99 added, with all connections \
             in step and with Fortio's jitter.",
            "The page gives 0.5 vCPU per proxy, nearly twice what the raw runs of the same \
             release say; the calibration has the latter.",
            page,
        ),
    ]
}

fn bench() -> Result<Bench, Problems> {
    let (_, costs) = shipped_calibration(CALIBRATION)?;
    Bench::two_pods(costs)
}

fn base(effort: Effort) -> Result<Vec<Claim>, Problems> {
    let is_fitted = |figure: &Figure| match figure.connections {
        Some(16) => figure.statistic == "P50",
        Some(2) => figure.statistic == "P99",
        _ => false,
    };
    marked("istio-1.7-base", &bench()?, is_fitted, effort)
}

fn with_telemetry(effort: Effort) -> Result<Vec<Claim>, Problems> {
    let is_fitted = |figure: &Figure| figure.statistic == "P50" || is_cpu_at_fitted_load(figure);
    marked("istio-1.7-stats", &bench()?, is_fitted, effort)
}

fn without_filters(effort: Effort) -> Result<Vec<Claim>, Problems> {
    let mut bench = bench()?;
    bench.costs.sidecar_outbound_cpu -= bench.costs.telemetry_cpu;
    bench.costs.sidecar_inbound_cpu -= bench.costs.telemetry_cpu;
    marked("istio-1.7-bare", &bench, is_cpu_at_fitted_load, effort)
}

fn is_cpu_at_fitted_load(figure: &Figure) -> bool {
    let load = (figure.rate_rps, figure.connections);
    figure.metric == "cpu" && load == (Some(1000.0), Some(16))
}

fn page(effort: Effort) -> Result<Vec<Claim>, Problems> {
    marked("istio-1.7-page", &bench()?, |_| false, effort)
}

fn marked(
    series: &str,
    bench: &Bench,
    is_fitted: impl Fn(&Figure) -> bool,
    effort: Effort,
) -> Result<Vec<Claim>, Problems> {
    let claims = predict_series(series, Kind::Published, bench, effort)?;
    let mark = |(figure, claim): (Figure, Claim)| {
        if is_fitted(&figure) { claim.fitted() } else { claim }
    };
    Ok(claims.into_iter().map(mark).collect())
}
