//! The promise of a confidence interval: of many experiments, each with an interval of 95 %, about
//! 95 of 100 cover the true value.
//!
//! An experiment is a handful of short runs of a queue whose mean response time theory knows. The
//! interval of the mean, and of the difference of two variants under common random numbers, must
//! cover it in 93.5 to 96.5 % of a thousand experiments. Seeds are fixed.

#![expect(clippy::unwrap_used, reason = "what cannot be set up fails the test")]

use std::sync::Arc;

use meshsim::cluster::ServiceId;
use meshsim::cost::CostModel;
use meshsim::import::kubernetes::{VariantOverrides, build};
use meshsim::import::manifests::load_text;
use meshsim::scenario::Scenario;
use meshsim::simulation::simulate;
use meshsim::stats::{ConfidenceLevel, Interval, mean_interval, paired_difference};
use meshsim::units::SimDuration;
use meshsim::workload::{Arrivals, Distribution, Load, RatePhase, Target};
use rayon::prelude::*;

const EXPERIMENTS: u64 = 1000;
const REPLICATIONS: u64 = 8;
const SERVICE: SimDuration = SimDuration::from_millis(1);
const UTILIZATION: f64 = 0.3;

/// A client and a server with one worker; nothing else takes time.
const QUEUE: &str = "
apiVersion: meshsim/v1
kind: Cluster
metadata: {name: lab}
spec: {nodePools: [{name: node, nodes: 1, cpu: 4, memory: 8Gi}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: client}
spec:
  replicas: 1
  selector: {matchLabels: {app: client}}
  template:
    metadata: {labels: {app: client}}
    spec: {containers: [{name: client}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: server}
spec:
  replicas: 1
  selector: {matchLabels: {app: server}}
  template:
    metadata: {labels: {app: server}}
    spec: {containers: [{name: server, ports: [{name: http, containerPort: 80}]}]}
---
apiVersion: v1
kind: Service
metadata: {name: server}
spec: {selector: {app: server}, ports: [{name: http, port: 80}]}
---
apiVersion: meshsim/v1
kind: Behavior
metadata: {name: server}
spec: {selector: {app: server}, workers: 1, cpuTime: 0s, waitTime: 1ms}
";

/// Some 200 Poisson arrivals at a worker that takes `service`.
fn queue(service: Distribution) -> Scenario {
    let manifests = load_text("queue.yaml", QUEUE);
    let mut model = build(&manifests.objects, VariantOverrides::default()).unwrap();
    for behavior in model.behaviors.iter_mut().filter(|behavior| behavior.workers == 1) {
        behavior.wait_time = service.clone();
    }
    let load = Load {
        from: Some(model.workload("client").unwrap()),
        to: Target::Service { service: ServiceId(0), port: 0 },
        via: None,
        rate: vec![RatePhase {
            from: SimDuration::ZERO,
            rate: UTILIZATION / SERVICE.as_secs_f64(),
        }],
        connections: 1_000_000,
        arrivals: Arrivals::Poisson,
        catch_up: true,
        keep_alive: true,
        reopen_after_error: false,
        timeout: SimDuration::from_secs(1000),
        request_bytes: 0,
        url: "http://server/".into(),
    };
    let costs = Arc::new(CostModel::free());
    let warm_up = SimDuration::from_millis(50);
    model.into_scenario(vec![load], costs, warm_up, SimDuration::from_millis(667))
}

/// Mean response times in service times, one per replication of an experiment.
fn observe(scenario: &Scenario, experiment: u64) -> Vec<f64> {
    let run = |replication| {
        let summary = simulate(scenario, experiment, replication);
        let mean = summary.sources[0].response_times.mean().unwrap();
        mean.as_secs_f64() / SERVICE.as_secs_f64()
    };
    (0..REPLICATIONS).map(run).collect()
}

fn share_covering(truth: f64, intervals: &[Interval]) -> f64 {
    let covering = intervals.iter().filter(|interval| interval.contains(truth)).count();
    covering as f64 / intervals.len() as f64
}

fn variance(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64
}

#[test]
fn ninety_five_of_a_hundred_intervals_cover_the_true_value() {
    let exponential = queue(Distribution::Exponential { mean: SERVICE.as_secs_f64() });
    let constant = queue(Distribution::Constant(SERVICE));
    let experiments: Vec<(Vec<f64>, Vec<f64>)> = (0..EXPERIMENTS)
        .into_par_iter()
        .map(|number| (observe(&exponential, number), observe(&constant, number)))
        .collect();

    // M/M/1 and M/D/1 in service times.
    let mm1 = 1.0 / (1.0 - UTILIZATION);
    let md1 = 1.0 + UTILIZATION / (2.0 * (1.0 - UTILIZATION));
    let level = ConfidenceLevel::P95;
    let means: Vec<_> =
        experiments.iter().map(|(mm1, _)| mean_interval(mm1, level).unwrap()).collect();
    let differences: Vec<_> =
        experiments.iter().map(|(mm1, md1)| paired_difference(md1, mm1, level).unwrap()).collect();
    for (what, share) in [
        ("mean", share_covering(mm1, &means)),
        ("difference", share_covering(mm1 - md1, &differences)),
    ] {
        println!("{what}: {share} of the intervals cover");
        assert!((0.935..=0.965).contains(&share), "{what}: {share} of the intervals cover");
    }

    // What common random numbers are for: the difference varies less than the two apart.
    let first: Vec<f64> = experiments.iter().flat_map(|(mm1, _)| mm1.clone()).collect();
    let second: Vec<f64> = experiments.iter().flat_map(|(_, md1)| md1.clone()).collect();
    let paired: Vec<f64> = first.iter().zip(&second).map(|(one, other)| one - other).collect();
    let ratio = variance(&paired) / (variance(&first) + variance(&second));
    println!("common random numbers leave {ratio:.3} of the variance");
    assert!(ratio < 0.9, "common random numbers leave {ratio} of the variance");
}
