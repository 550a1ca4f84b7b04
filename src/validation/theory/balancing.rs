//! Who gets what: requests over endpoints, connections over pods.

use crate::cluster::{PodId, WorkloadId};
use crate::mesh::path::DataPlane;
use crate::simulation::summary::RunSummary;
use crate::units::SimDuration;
use crate::validation::claim::{Claim, Reference};
use crate::validation::effort::Effort;
use crate::validation::formulas;
use crate::validation::laboratory::{Laboratory, exponential, server};
use crate::validation::replication::{interval_of_theory, observe};
use crate::workload::{Arrivals, Distribution};

use super::{SERVICES, rate, response};

pub(super) fn claims(effort: Effort) -> Vec<Claim> {
    vec![two_choices(effort), occupancy(effort)]
}

/// A sidecar's LEAST_REQUEST in front of very many servers.
fn two_choices(effort: Effort) -> Claim {
    const PODS: u32 = 1000;
    let mut laboratory = Laboratory::new(4);
    let to = laboratory.service("server", PODS, server(1, exponential()));
    let nothing = server(1, Distribution::ZERO);
    let (client, _) = laboratory.workload("client", 1, nothing, DataPlane::Sidecar);
    let load = laboratory.load(Some(client), to, rate(PODS, 0.8), Arrivals::Poisson);
    Claim::of_theory(
        Reference::new(
            "two choices at 0.8: response time under a sidecar's LEAST_REQUEST, 1000 endpoints",
            formulas::two_choices_response(0.8),
            SERVICES,
            "mean field; Mitzenmacher 2001, theorem 4",
        ),
        response(&load.measured_for(effort.length(1))),
        effort,
    )
}

/// kube-proxy's choice per connection leaves pods without any.
fn occupancy(effort: Effort) -> Claim {
    const PODS: u32 = 10;
    const CONNECTIONS: u32 = 16;
    let mut laboratory = Laboratory::new(4);
    let to = laboratory.service("server", PODS, server(1, Distribution::ZERO));
    one_workload_per_pod(&mut laboratory, PODS);
    let mut load = laboratory.load(None, to, f64::from(CONNECTIONS), Arrivals::InStep);
    load.scenario_mut().loads[0].connections = CONNECTIONS;
    let scenario = load.measured_for(SimDuration::from_secs(2));
    let observations = observe(&scenario, effort.replications(40_000), |run: &RunSummary| {
        let idle = run.workloads.iter().filter(|workload| workload.requests == 0).count();
        idle as f64 / f64::from(PODS)
    });
    Claim::of_theory(
        Reference::new(
            "occupancy: share of 10 pods that 16 keep-alive connections through kube-proxy leave \
             idle",
            formulas::empty_share(PODS, CONNECTIONS),
            "share of pods",
            "balls into boxes: (1 − 1/n)^m",
        ),
        interval_of_theory(&observations),
        effort,
    )
}

/// Gives each of the first `pods` pods a workload of its own, which tells them apart in the summary.
fn one_workload_per_pod(laboratory: &mut Laboratory, pods: u32) {
    let scenario = laboratory.scenario_mut();
    for pod in 1..pods {
        let mut alone = scenario.workloads[0].clone();
        alone.name = format!("server-{pod}");
        alone.pods = vec![PodId(pod)];
        scenario.workloads.push(alone);
        scenario.pods[pod as usize].workload = WorkloadId(scenario.workloads.len() as u32 - 1);
    }
    scenario.workloads[0].pods.truncate(1);
}
