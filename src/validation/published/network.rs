//! Round trips between pods on two nodes, without a mesh.

use crate::import::calibration::shipped_calibration;
use crate::scenario::problem::Problems;
use crate::simulation::summary::RunSummary;
use crate::units::SimDuration;
use crate::validation::bench::{Bench, Plane, Traffic};
use crate::validation::claim::{Claim, Kind, Reference};
use crate::validation::effort::Effort;
use crate::validation::figures::{Figure, series};
use crate::validation::replication::{interval, observe};
use crate::validation::suite::Suite;
use crate::workload::{Arrivals, Distribution};

pub(super) fn suite() -> Suite {
    Suite {
        kind: Kind::Published,
        title: "Round trips between pods",
        method: "`models/two-pods` under `bare-metal-istio-1.24` without a mesh: one connection, \
                 the next request as soon as the answer is there, no work at client and server; \
                 then a connection for each request.",
        remark: "The model has one network per calibration; measured round trips differ by a \
                 factor of two and a half between network plugins on the same machines \
                 (encapsulation, conntrack, bridges), and setting up a connection takes far \
                 longer than a packet's way there and back. Missing: the plugin's cost per packet \
                 and the kernel's cost of opening and closing a connection.",
        simulate: claims,
    }
}

fn claims(effort: Effort) -> Result<Vec<Claim>, Problems> {
    let (series, figures) = series("netperf")?;
    let (_, mut costs) = shipped_calibration("bare-metal-istio-1.24")?;
    costs.client_cpu = 0.0;
    let mut bench = Bench::two_pods(costs)?;
    bench.server_computes(Distribution::ZERO);
    let claim = |figure: &Figure| {
        let think_time = SimDuration::ZERO;
        let keep_alive = figure.metric == "round_trip";
        let traffic =
            Traffic { keep_alive, ..Traffic::new(1.0, 1, Arrivals::Closed { think_time }) };
        let scenario = bench.scenario(Plane::None, &traffic, effort.seconds(5))?;
        let times = observe(&scenario, effort.replications_of_measurements(), mean_us);
        let what = if keep_alive { "request and answer" } else { "connect, request, answer" };
        let text = format!("{}: {what}, {}", series.title, figure.subject);
        let reference = Reference::new(text, figure.value, &figure.unit, &series.source);
        Ok(Claim::shown(Kind::Published, reference, interval(&times)))
    };
    figures.iter().map(claim).collect()
}

fn mean_us(run: &RunSummary) -> f64 {
    let mean = run.sources[0].response_times.mean().unwrap_or_default();
    mean.as_secs_f64() * 1e6
}
