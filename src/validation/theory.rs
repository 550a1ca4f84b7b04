//! Claims of queueing theory, each simulated from the parts the mesh uses.

use rayon::prelude::*;

use crate::mesh::path::DataPlane;
use crate::scenario::Scenario;
use crate::simulation::simulate;
use crate::simulation::summary::RunSummary;
use crate::stats::{ConfidenceLevel, Interval, mean_interval};
use crate::units::SimDuration;
use crate::workload::{Arrivals, Call, Distribution};

use super::claim::Claim;
use super::formulas;
use super::laboratory::{Laboratory, SERVICE, busy, exponential, lognormal, server};

/// Seed of all claims; a claim that holds under it always does.
const SEED: u64 = 20_261_130;

/// Replications of a claim.
const REPLICATIONS: u64 = 20;

/// Every claim of theory, simulated. `duration_factor` scales the length of the runs: 1 makes
/// every interval narrow enough; less is for a quick look.
pub fn theory(duration_factor: f64) -> Vec<Claim> {
    let scaled = |seconds: u64| ((seconds as f64 * duration_factor).ceil() as u64).max(1);
    let mut claims = single_stations(&scaled);
    claims.push(two_choices(&scaled));
    claims.push(tandem(&scaled));
    claims.extend(closed_networks(&scaled));
    claims.push(occupancy());
    claims
}

/// The mean response time of the first load, in mean service times.
fn response(scenario: &Scenario) -> Interval {
    observe(scenario, REPLICATIONS, |run| {
        let mean = run.sources[0].response_times.mean().unwrap_or_default();
        mean.as_secs_f64() / SERVICE.as_secs_f64()
    })
}

fn observe(
    scenario: &Scenario,
    replications: u64,
    statistic: impl Fn(&RunSummary) -> f64 + Sync,
) -> Interval {
    let observations: Vec<f64> = (0..replications)
        .into_par_iter()
        .map(|replication| statistic(&simulate(scenario, SEED, replication)))
        .collect();
    mean_interval(&observations, ConfidenceLevel::P99).unwrap_or(Interval {
        estimate: f64::NAN,
        low: f64::NAN,
        high: f64::NAN,
    })
}

/// The arrival rate per second that keeps `servers` servers busy for the share `utilization`.
fn rate(servers: u32, utilization: f64) -> f64 {
    f64::from(servers) * utilization / SERVICE.as_secs_f64()
}

/// Poisson arrivals at one service.
fn open_queue(
    pods: u32,
    cores: u32,
    behavior: crate::workload::Behavior,
    rate: f64,
    seconds: u64,
) -> Scenario {
    let mut laboratory = Laboratory::new(cores);
    let to = laboratory.service("server", pods, behavior);
    laboratory.load(None, to, rate, Arrivals::Poisson).measured_for(seconds)
}

fn single_stations(scaled: &impl Fn(u64) -> u64) -> Vec<Claim> {
    let queue = |workers, time, utilization, seconds| {
        let behavior = server(workers, time);
        response(&open_queue(1, 4, behavior, rate(workers, utilization), scaled(seconds)))
    };
    let services = "mean service times";
    let pk = "Pollaczek–Khinchine; Kleinrock vol. 1, section 5.7";
    vec![
        Claim::of_theory(
            "M/M/1 at 0.7: response time of Poisson arrivals at a one-worker application",
            formulas::mmc_response(1, 0.7),
            queue(1, exponential(), 0.7, 400),
            services,
            "Kleinrock vol. 1, section 3.2",
        ),
        Claim::of_theory(
            "M/M/4 at 0.8: the same with four workers",
            formulas::mmc_response(4, 0.8),
            queue(4, exponential(), 0.8, 150),
            services,
            "Erlang C; Kleinrock vol. 1, section 3.5",
        ),
        Claim::of_theory(
            "M/D/1 at 0.8: the same with constant service",
            formulas::mg1_response(0.8, 0.0),
            queue(1, Distribution::Constant(SERVICE), 0.8, 400),
            services,
            pk,
        ),
        Claim::of_theory(
            "M/G/1 at 0.6, lognormal service with cv 1.5",
            formulas::mg1_response(0.6, 1.5),
            queue(1, lognormal(1.5), 0.6, 600),
            services,
            pk,
        ),
        processor_sharing(scaled),
    ]
}

/// Many threads on one core. The service is long against a scheduler slice, so that slices in
/// turn come close to sharing.
fn processor_sharing(scaled: &impl Fn(u64) -> u64) -> Claim {
    let mean_ms = 100;
    let scale = SimDuration::from_millis(mean_ms).as_secs_f64() / SERVICE.as_secs_f64();
    let Distribution::Lognormal { mu, sigma } = lognormal(1.5) else {
        unreachable!("it was made lognormal")
    };
    let cpu = Distribution::Lognormal { mu: mu + scale.ln(), sigma };
    let behavior = busy(1_000_000, cpu);
    let scenario = open_queue(1, 1, behavior, rate(1, 0.6) / scale, scaled(30_000));
    let ours = response(&scenario);
    let per_service = Interval {
        estimate: ours.estimate / scale,
        low: ours.low / scale,
        high: ours.high / scale,
    };
    Claim::of_theory(
        "M/G/1 processor sharing at 0.6, cv 1.5: threads that share a core in slices",
        formulas::processor_sharing_response(0.6),
        per_service,
        "mean service times",
        "insensitivity of processor sharing; Kleinrock vol. 2, section 4.4",
    )
}

/// A sidecar's LEAST_REQUEST in front of very many servers.
fn two_choices(scaled: &impl Fn(u64) -> u64) -> Claim {
    const PODS: u32 = 1000;
    let mut laboratory = Laboratory::new(4);
    let to = laboratory.service("server", PODS, server(1, exponential()));
    let nothing = server(1, Distribution::ZERO);
    let (client, _) = laboratory.workload("client", 1, nothing, DataPlane::Sidecar);
    let load = laboratory.load(Some(client), to, rate(PODS, 0.8), Arrivals::Poisson);
    let ours = response(&load.measured_for(scaled(1)));
    Claim::of_theory(
        "two choices at 0.8: a sidecar's LEAST_REQUEST over 1000 endpoints",
        formulas::two_choices_response(0.8),
        ours,
        "mean service times",
        "mean field; Mitzenmacher 2001, theorem 4",
    )
}

/// A front that calls two one-worker services in turn.
fn front_calling_two(laboratory: &mut Laboratory) -> crate::workload::Target {
    let first = laboratory.service("first", 1, server(1, exponential()));
    let second = laboratory.service("second", 1, server(1, exponential()));
    let call = |to| vec![Call { to, probability: 1.0, count: 1, request_bytes: 0 }];
    let mut front = server(1_000_000, Distribution::ZERO);
    front.calls = vec![call(first), call(second)];
    laboratory.service("front", 1, front)
}

/// By Burke's theorem the second queue sees Poisson arrivals too.
fn tandem(scaled: &impl Fn(u64) -> u64) -> Claim {
    let mut laboratory = Laboratory::new(4);
    let to = front_calling_two(&mut laboratory);
    let load = laboratory.load(None, to, rate(1, 0.7), Arrivals::Poisson);
    Claim::of_theory(
        "M/M/1 twice in series at 0.7: a request that calls two services in turn",
        2.0 * formulas::mmc_response(1, 0.7),
        response(&load.measured_for(scaled(300))),
        "mean service times",
        "Burke's theorem; Kleinrock vol. 1, section 4.1",
    )
}

fn closed_networks(scaled: &impl Fn(u64) -> u64) -> Vec<Claim> {
    const USERS: u32 = 20;
    let think_time = SimDuration::from_millis(10);
    let think = think_time.as_secs_f64() / SERVICE.as_secs_f64();
    let closed = |laboratory: Laboratory, to| {
        let mut laboratory = laboratory.load(None, to, 0.0, Arrivals::Closed { think_time });
        laboratory.scenario_mut().loads[0].connections = USERS;
        response(&laboratory.measured_for(scaled(100)))
    };
    let mut one = Laboratory::new(4);
    let to_one = one.service("server", 1, server(1, exponential()));
    let mut two = Laboratory::new(4);
    let to_two = front_calling_two(&mut two);
    let source = "mean value analysis; Reiser and Lavenberg 1980";
    vec![
        Claim::of_theory(
            "closed loop: 20 users, think time 10, one server",
            formulas::closed_network_response(&[1.0], think, USERS),
            closed(one, to_one),
            "mean service times",
            source,
        ),
        Claim::of_theory(
            "closed loop: 20 users, think time 10, two servers in turn",
            formulas::closed_network_response(&[1.0, 1.0], think, USERS),
            closed(two, to_two),
            "mean service times",
            source,
        ),
    ]
}

/// kube-proxy's choice per connection leaves pods without any.
fn occupancy() -> Claim {
    const PODS: u32 = 10;
    const CONNECTIONS: u32 = 16;
    let mut laboratory = Laboratory::new(4);
    let to = laboratory.service("server", PODS, server(1, Distribution::ZERO));
    let scenario = laboratory.scenario_mut();
    // A workload per pod tells the pods apart in the summary.
    for pod in 1..PODS {
        let mut alone = scenario.workloads[0].clone();
        alone.name = format!("server-{pod}");
        alone.pods = vec![crate::cluster::PodId(pod)];
        scenario.workloads.push(alone);
        scenario.pods[pod as usize].workload =
            crate::cluster::WorkloadId(scenario.workloads.len() as u32 - 1);
    }
    scenario.workloads[0].pods.truncate(1);
    let mut load = laboratory.load(None, to, f64::from(CONNECTIONS), Arrivals::InStep);
    load.scenario_mut().loads[0].connections = CONNECTIONS;
    let idle_share = |run: &RunSummary| {
        let idle = run.workloads.iter().filter(|workload| workload.requests == 0).count();
        idle as f64 / f64::from(PODS)
    };
    Claim::of_theory(
        "occupancy: share of 10 pods that 16 keep-alive connections through kube-proxy leave idle",
        formulas::empty_share(PODS, CONNECTIONS),
        observe(&load.measured_for(2), 40_000, idle_share),
        "share of pods",
        "balls into boxes: (1 − 1/n)^m",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Short runs: the intervals are wide, but ours must lie within five of their half-widths.
    #[test]
    fn every_claim_is_near_its_reference_even_in_short_runs() {
        for claim in theory(0.02) {
            let half_width = (claim.ci_high - claim.ci_low) / 2.0;
            let distance = (claim.ours - claim.reference).abs();
            assert!(distance <= 3.0 * half_width, "{claim:?}");
        }
    }
}
