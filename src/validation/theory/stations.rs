//! One station: an application, a core, an Envoy worker.

use crate::mesh::path::DataPlane;
use crate::units::SimDuration;
use crate::validation::claim::{Claim, Reference};
use crate::validation::effort::Effort;
use crate::validation::formulas;
use crate::validation::laboratory::{Laboratory, SERVICE, busy, exponential, lognormal, server};
use crate::workload::{Arrivals, Distribution};

use super::{SERVICES, mean_of, open_queue, rate, response};

const POLLACZEK_KHINCHINE: &str = "Pollaczek–Khinchine; Kleinrock vol. 1, section 5.7";

pub(super) fn claims(effort: Effort) -> Vec<Claim> {
    let queue = |workers, time, utilization, seconds| {
        let arrivals = rate(workers, utilization);
        response(&open_queue(4, server(workers, time), arrivals, effort.length(seconds)))
    };
    let claim = |text, value, source, ours| {
        Claim::of_theory(Reference::new(text, value, SERVICES, source), ours, effort)
    };
    vec![
        claim(
            "M/M/1 at 0.7: response time at an application with one worker",
            formulas::mmc_response(1, 0.7),
            "Kleinrock vol. 1, section 3.2",
            queue(1, exponential(), 0.7, 400),
        ),
        claim(
            "M/M/4 at 0.8: the same with four workers",
            formulas::mmc_response(4, 0.8),
            "Erlang C; Kleinrock vol. 1, section 3.5",
            queue(4, exponential(), 0.8, 150),
        ),
        waiting(effort),
        claim(
            "M/D/1 at 0.8: constant service",
            formulas::mg1_response(0.8, 0.0),
            POLLACZEK_KHINCHINE,
            queue(1, Distribution::Constant(SERVICE), 0.8, 400),
        ),
        claim(
            "M/G/1 at 0.6: lognormal service with cv 1.5",
            formulas::mg1_response(0.6, 1.5),
            POLLACZEK_KHINCHINE,
            queue(1, lognormal(1.5), 0.6, 1200),
        ),
        processor_sharing(effort),
        envoy_worker(effort),
    ]
}

/// The share of requests that find all workers busy.
fn waiting(effort: Effort) -> Claim {
    const WORKERS: u32 = 4;
    let behavior = server(WORKERS, exponential());
    let scenario = open_queue(4, behavior, rate(WORKERS, 0.8), effort.length(150));
    let ours = mean_of(&scenario, |run| {
        let server = &run.workloads[0];
        server.queued as f64 / server.requests as f64
    });
    Claim::of_theory(
        Reference::new(
            "M/M/4 at 0.8: share of requests that wait for a worker",
            formulas::erlang_c(WORKERS, f64::from(WORKERS) * 0.8),
            "share of requests",
            "Erlang C; Kleinrock vol. 1, section 3.5",
        ),
        ours,
        effort,
    )
}

/// Many threads on one core. The service is long against a scheduler slice, so that slices in
/// turn come close to sharing.
fn processor_sharing(effort: Effort) -> Claim {
    let scale = SimDuration::from_millis(100).as_secs_f64() / SERVICE.as_secs_f64();
    let Distribution::Lognormal { mu, sigma } = lognormal(1.5) else {
        unreachable!("it was made lognormal")
    };
    let cpu = Distribution::Lognormal { mu: mu + scale.ln(), sigma };
    let behavior = busy(1_000_000, cpu);
    let scenario = open_queue(1, behavior, rate(1, 0.6) / scale, effort.length(30_000));
    let ours = mean_of(&scenario, |run| super::mean_response(run) / scale);
    Claim::of_theory(
        Reference::new(
            "M/G/1 processor sharing at 0.6, cv 1.5: threads that share a core in slices",
            formulas::processor_sharing_response(0.6),
            SERVICES,
            "insensitivity of processor sharing; Kleinrock vol. 2, section 4.4",
        ),
        ours,
        effort,
    )
}

/// The worker of a server's sidecar, which takes all its time for the request: the response,
/// which takes none, queues there a second time.
///
/// A request leaves as many behind as came while it was inside, λ·T with the response time T of
/// M/G/1, none of them begun; the response waits for them: T + λ·T·S = T(1 + ρ).
fn envoy_worker(effort: Effort) -> Claim {
    const CV: f64 = 0.5;
    const UTILIZATION: f64 = 0.6;
    let mut laboratory = Laboratory::new(4);
    let echo = server(1_000_000, Distribution::ZERO);
    let to = laboratory.service_in(DataPlane::Sidecar, "server", 1, echo.clone());
    let (client, _) = laboratory.workload("client", 1, echo, DataPlane::None);
    let costs = laboratory.costs_mut();
    costs.sidecar_inbound_cpu = SERVICE.as_secs_f64() * 1e6;
    (costs.envoy_request_share, costs.envoy_response_share) = (1.0, 0.0);
    costs.work_cv = CV;
    laboratory.scenario_mut().enrolments[0].concurrency = 1;
    let load = laboratory.load(Some(client), to, rate(1, UTILIZATION), Arrivals::Poisson);
    Claim::of_theory(
        Reference::new(
            "M/G/1 at 0.6 with feedback, cv 0.5: a server sidecar with one worker",
            formulas::mg1_response(UTILIZATION, CV) * (1.0 + UTILIZATION),
            SERVICES,
            "Pollaczek–Khinchine and Little's law on what a request leaves behind",
        ),
        response(&load.measured_for(effort.length(400))),
        effort,
    )
}
