//! Pages and comments that publish a few figures each.

use crate::import::calibration::shipped_calibration;
use crate::scenario::problem::Problems;
use crate::units::SimDuration;
use crate::validation::bench::Bench;
use crate::validation::claim::{Claim, Kind};
use crate::validation::effort::Effort;
use crate::validation::prediction::predict_series;
use crate::validation::suite::Suite;
use crate::workload::Distribution;

/// Cores of the machines of Istio's community lab.
const LAB_CORES: u32 = 24;

/// How far the vCPU of a proxy may be from the page of 1.24, as a share.
const CPU_TOLERANCE: f64 = 0.05;

/// How far latency may be from the table of 1.22, in milliseconds.
const LATENCY_TOLERANCE_MS: f64 = 0.25;

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
            "CPU and memory per proxy, Istio 1.24",
            "`models/two-pods` on nodes of 24 cores under `bare-metal-istio-1.24`, whose CPU \
             figures were set so that this page comes out, less what wake-ups and idling take.",
            "The page does not say how many clusters and listeners a proxy knew. Here a sidecar \
             knows one Service, so its memory is the part that does not grow with configuration.",
            istio_1_24,
        ),
        suite(
            "Added latency by data plane, Istio 1.22",
            "The same with 16 connections, spread. Nothing was fitted to these figures.",
            "The costs are those of release 1.24; the page of 1.22 gave 0.5 vCPU for a sidecar \
             where that of 1.24 gives 0.2. How the load was spread is not stated: with Fortio's \
             jitter over 4 connections ours would come close for sidecars and ambient L4, and \
             twice too high for waypoints.",
            istio_1_22,
        ),
        suite(
            "CPU against rate, 2024",
            "The same, 1000 to 5000 requests per second over 16 connections, spread.",
            "Measured CPU per request halves from 1000 to 5000 rps, from 180 to 90 µs; ours \
             falls only by what wake-ups cost. Missing: whatever makes the work itself cheaper \
             at a higher rate; docs/decisions/0004 weighs what it may be.",
            rates,
        ),
        suite(
            "Istio 1.19 on AKS",
            "`models/two-pods` on nodes of 16 cores under `eks-arm64-istio-1.31`, access log off.",
            "Another cloud, another processor and another release: CPU is expected to differ by \
             some tenths. Memory is the part that does not grow with configuration, which the \
             source does not state.",
            aks,
        ),
        suite(
            "A sidecar at a low rate",
            "`models/two-pods` under `eks-arm64-istio-1.31`, 20 requests per second.",
            "The rate is a guess within tens of requests per second.",
            low_rate,
        ),
        suite(
            "1600 connections to a slow server",
            "`models/two-pods` on nodes of 16 cores under `eks-arm64-istio-1.31`, a server that \
             waits 200 ms, 3200 requests per second over 1600 connections in step. The machines \
             are unknown and the figures second-hand.",
            "They burnt a third of our CPU and still took longer: not the proxies' own work, \
             then, but something that kept them from it. CPU limits (quota) and small \
             shared-core machines would; neither is stated, and quota is not modelled yet.",
            slow_server,
        ),
    ]
}

fn bare_metal() -> Result<Bench, Problems> {
    let (_, costs) = shipped_calibration("bare-metal-istio-1.24")?;
    Ok(Bench::two_pods(costs)?.with_cores(LAB_CORES))
}

fn istio_1_24(effort: Effort) -> Result<Vec<Claim>, Problems> {
    let claims = predict_series("istio-1.24", Kind::Published, &bare_metal()?, effort)?;
    let judged = claims.into_iter().map(|(figure, claim)| match figure.metric.as_str() {
        "cpu" => claim.within(figure.value * CPU_TOLERANCE).fitted(),
        _ => claim.fitted(),
    });
    Ok(judged.collect())
}

fn istio_1_22(effort: Effort) -> Result<Vec<Claim>, Problems> {
    let claims = predict_series("istio-1.22", Kind::Published, &bare_metal()?, effort)?;
    Ok(claims.into_iter().map(|(_, claim)| claim.within(LATENCY_TOLERANCE_MS)).collect())
}

fn shown(id: &str, bench: &Bench, effort: Effort) -> Result<Vec<Claim>, Problems> {
    let claims = predict_series(id, Kind::Published, bench, effort)?;
    Ok(claims.into_iter().map(|(_, claim)| claim).collect())
}

fn rates(effort: Effort) -> Result<Vec<Claim>, Problems> {
    shown("istio-2024-rates", &bare_metal()?, effort)
}

/// The costs of the EKS study without its access log.
fn cloud() -> Result<Bench, Problems> {
    let (_, mut costs) = shipped_calibration("eks-arm64-istio-1.31")?;
    costs.sidecar_outbound_cpu -= costs.access_log_cpu;
    costs.sidecar_inbound_cpu -= costs.access_log_cpu;
    Bench::two_pods(costs)
}

fn aks(effort: Effort) -> Result<Vec<Claim>, Problems> {
    shown("aks-1.19", &cloud()?, effort)
}

fn low_rate(effort: Effort) -> Result<Vec<Claim>, Problems> {
    shown("low-rate", &cloud()?, effort)
}

fn slow_server(effort: Effort) -> Result<Vec<Claim>, Problems> {
    let mut bench = cloud()?;
    bench.server_waits(Distribution::Constant(SimDuration::from_millis(200)));
    shown("arxiv-2411.02267", &bench, effort)
}
