//! Claims of queueing theory, each simulated from the parts the mesh uses.

mod balancing;
mod loss;
mod networks;
mod stations;

use crate::scenario::Scenario;
use crate::simulation::summary::RunSummary;
use crate::stats::Interval;
use crate::units::SimDuration;
use crate::workload::{Arrivals, Behavior};

use super::claim::Kind;
use super::laboratory::{Laboratory, SERVICE};
use super::replication::{interval_of_theory, observe};
use super::suite::Suite;

/// Replications of a claim.
const REPLICATIONS: u64 = 20;

/// Unit of response times.
const SERVICES: &str = "mean service times";

/// Every claim of theory.
pub(super) fn suites() -> Vec<Suite> {
    vec![
        Suite {
            kind: Kind::Theory,
            title: "One station",
            method: "Poisson arrivals of an open-loop load generator at an application with some \
                     workers, at an application whose threads share a core, and at an Envoy \
                     worker. Every other cost is zero.",
            remark: "",
            simulate: |effort| Ok(stations::claims(effort)),
        },
        Suite {
            kind: Kind::Theory,
            title: "Bounded queues",
            method: "An application with some workers and a `queueLimit`; what finds no room is \
                     answered 503 at once.",
            remark: "",
            simulate: |effort| Ok(loss::claims(effort)),
        },
        Suite {
            kind: Kind::Theory,
            title: "Networks of stations",
            method: "Applications that call others in turn, under open and closed loops.",
            remark: "",
            simulate: |effort| Ok(networks::claims(effort)),
        },
        Suite {
            kind: Kind::Theory,
            title: "Balancing",
            method: "A sidecar's LEAST_REQUEST over very many endpoints, and connections that \
                     kube-proxy spreads at random.",
            remark: "",
            simulate: |effort| Ok(balancing::claims(effort)),
        },
    ]
}

/// The mean response time of the first load, in mean service times.
fn response(scenario: &Scenario) -> Interval {
    mean_of(scenario, mean_response)
}

fn mean_response(run: &RunSummary) -> f64 {
    let mean = run.sources[0].response_times.mean().unwrap_or_default();
    mean.as_secs_f64() / SERVICE.as_secs_f64()
}

/// The mean of `statistic` over replications.
fn mean_of(scenario: &Scenario, statistic: impl Fn(&RunSummary) -> f64 + Sync) -> Interval {
    interval_of_theory(&observe(scenario, REPLICATIONS, statistic))
}

/// The arrival rate per second that keeps `servers` servers busy for the share `utilization`.
fn rate(servers: u32, utilization: f64) -> f64 {
    f64::from(servers) * utilization / SERVICE.as_secs_f64()
}

/// Poisson arrivals at a service of one pod, on a node with `cores` cores.
fn open_queue(cores: u32, behavior: Behavior, rate: f64, length: SimDuration) -> Scenario {
    let mut laboratory = Laboratory::new(cores);
    let to = laboratory.service("server", 1, behavior);
    laboratory.load(None, to, rate, Arrivals::Poisson).measured_for(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::effort::Effort;

    /// Short runs: the intervals are wide, but the reference must lie within three of their
    /// half-widths.
    #[test]
    fn every_claim_is_near_its_reference_even_in_short_runs() {
        for suite in suites() {
            for claim in suite.claims(Effort::of(0.02)).unwrap() {
                let half_width = (claim.ci_high - claim.ci_low) / 2.0;
                let distance = (claim.ours - claim.reference).abs();
                assert!(distance <= 3.0 * half_width, "{claim:?}");
            }
        }
    }
}
