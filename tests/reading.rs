//! What users write is read whole, and what is wrong with it is said at once, in place.

use meshsim::import::manifests::load_text;
use meshsim::import::own::{OwnObjects, read_own};

use meshsim::scenario::problem::{Problem, Problems};
use meshsim::scenario::spec::{
    ArrivalsSpec, DataPlaneSpec, DistributionSpec, MeasureSpec, OnSigterm, RatePhaseSpec, Unit,
    WaypointSpec, WithinSpec,
};
use meshsim::units::SimDuration;

/// Our kinds in `text`, and everything that is wrong with it.
fn own(text: &str) -> (OwnObjects, Problems) {
    let manifests = load_text("test.yaml", text);
    let mut problems = manifests.problems;
    let own = read_own(&manifests.objects, &mut problems);
    problems.sort();
    (own, problems)
}

fn sentences(problems: &Problems) -> Vec<String> {
    problems.iter().map(Problem::sentence).collect()
}

const CLUSTER_AND_BEHAVIOR: &str = r#"
apiVersion: meshsim/v1
kind: Cluster
spec:
  nodePools:
    - {name: servers, nodes: 3, zone: ap-northeast-2a, cpu: 4, memory: 16Gi, maxPods: 58}
---
apiVersion: meshsim/v1
kind: Behavior
metadata: {name: reviews}
spec:
  selector: {app: reviews, version: v2}
  cpuTime: {lognormal: {p50: 2ms, p99: 12ms}}
  waitTime: {constant: 3ms}
  workers: 16
  calls:
    - {to: "http://ratings:9080/ratings", probability: 1.0}
    - - {to: "http://details:9080/", requestSize: 1Ki}
      - {to: "grpc://cart.shop:7070", count: 2}
  failures: {status: 500, probability: 0.001}
  startup: 4s
  shutdown: {onSigterm: exit, after: 0s}
"#;

const EXPERIMENT: &str = r#"
apiVersion: meshsim/v1
kind: Experiment
metadata: {name: latency-by-data-plane}
spec:
  question: What does each data plane add to the latency and CPU of a request?
  model: ../../models/echo
  calibration: ../../models/calibration/eks-arm64-istio-1.31.yaml
  load:
    - {from: client, to: "http://echo:8080/echo", rate: 200, connections: 16, arrivals: in-step}
    - to: http://echo/
      rate: [{at: 0s, is: 100}, {at: 30s, is: 500}]
    - {from: shop/users, to: "tcp://db:5432", arrivals: {closed: {users: 50, thinkTime: 1s}}}
  variants:
    - {name: none,       dataPlane: none}
    - {name: ambient-l4, dataPlane: ambient}
    - {name: sidecar,    dataPlane: sidecar, set: {"DestinationRule/echo:trafficPolicy.outlierDetection.interval": 5s}}
    - {name: ambient-l7, dataPlane: ambient, waypoint: service, load: {keepAlive: false}}
  sweep: {load.rate: [200, 1000]}
  warmUp: 10s
  duration: 60s
  replications: {min: 10, max: 200, until: "p50(response_time) within 1%"}
  timeline: []
  expect:
    - {metric: response_time, statistic: p50, versus: none, variant: sidecar, at: {load.rate: 200}, is: 1.98ms, within: 0.2ms, source: seed-latency}
    - {metric: proxy_cpu, variant: sidecar, over: ambient-l4, at: {rate: 1000}, atLeast: 1.5}
    - {metric: failure_share, variant: none, atMost: 0.1%}
"#;

#[test]
fn cluster_and_behavior_are_read_as_documented() {
    let (own, problems) = own(CLUSTER_AND_BEHAVIOR);
    assert!(problems.is_empty(), "{problems}");

    let pool = &own.clusters[0].spec.node_pools[0];
    assert_eq!((pool.nodes, pool.cpu.millicores(), pool.memory.bytes()), (3, 4000, 16 << 30));
    let behavior = &own.behaviors[0].spec;
    assert_eq!(behavior.calls.len(), 2);
    assert_eq!(behavior.calls[1].calls.len(), 2, "a list inside a step is concurrent");
    assert_eq!(behavior.calls[1].calls[1].count, 2);
    let three_ms = DistributionSpec::Constant(SimDuration::from_millis(3));
    assert_eq!(behavior.wait_time, Some(three_ms));
    let startup = DistributionSpec::Constant(SimDuration::from_secs(4));
    assert_eq!(behavior.startup, Some(startup), "a bare duration is constant");
    assert_eq!(behavior.shutdown.as_ref().unwrap().on_sigterm, OnSigterm::Exit);
}

#[test]
fn an_experiment_is_read_as_documented() {
    let (own, problems) = own(EXPERIMENT);
    assert!(problems.is_empty(), "{problems}");

    let experiment = &own.experiments[0].spec;
    assert_eq!(experiment.load[0].arrivals, ArrivalsSpec::InStep);
    assert_eq!(experiment.load[0].timeout, SimDuration::from_secs(3));
    assert!(experiment.load[0].catch_up && experiment.load[0].keep_alive);
    assert_eq!(experiment.load[1].from, None);
    assert_eq!(experiment.load[1].to.port, 80);
    let later = RatePhaseSpec { at: SimDuration::from_secs(30), is: 500.0 };
    assert_eq!(experiment.load[1].rate.as_ref().unwrap().phases[1], later);
    assert_eq!(experiment.load[2].connections(), 50);
    assert_eq!(experiment.variants[3].waypoint, Some(WaypointSpec::Service));
    assert_eq!(experiment.variants[1].data_plane, Some(DataPlaneSpec::Ambient));
    assert!(!experiment.load[0].with(experiment.variants[3].load.as_ref().unwrap()).keep_alive);
    assert_eq!(experiment.replications.most(), 200);
    let latency = &experiment.expect[0];
    assert_eq!(latency.is, Some(MeasureSpec { number: 1.98, unit: Unit::Milliseconds }));
    let within = MeasureSpec { number: 0.2, unit: Unit::Milliseconds };
    assert_eq!(latency.within, Some(WithinSpec::Absolute(within)));
}

const EVERY_PROBLEM: &str = r#"
spec.durations is not a field that exists here
spec.warmUp is 10, but must be a duration such as `250ms`, `10s` or `1m30s`
spec.load[0].to is `echo:8080`, but must be a URL such as `http://echo:8080/path` or `tcp://db:5432`
spec.load[1].rate is 0, but must be above 0, at most 1000000 per second
spec.load[1].timeout is 0s, but must be above zero
spec.load[1].connections is 0, but must be between 1 and 100000
spec.load[2].arrivals is `poison`, but must be one of `in-step`, `uniform`, `jitter`, `poisson`, `constant`, `closed`, `trace`
spec.load[2].rate is -1, but must be above 0, at most 1000000 per second
spec.load[3].rate is missing: how many requests per second?
spec.load[4].rate must be left out: a closed loop and a trace have their own
spec.variants[0].waypoint must be left out unless dataPlane is `ambient`: only ambient has waypoints
spec.variants[1].name is `a`, but must be unlike the names before it
spec.variants[2].name is `B`, but must be a name of lower-case letters, digits and dashes, at most 63
spec.variants[2].set.nonsense must be `load.FIELD`, `load[N].FIELD`, `KIND/NAME:PATH` or `KIND/NAMESPACE/NAME:PATH`
spec.variants[2].set["load.rate"] names a load; what a variant changes about loads stands under its `load`
spec.sweep["load.colour"] is no field of a load; these are: rate, connections, arrivals, timeout, keepAlive, catchUp, reopenAfterError, requestSize
spec.sweep["load.rate"][1] is 1, but must be a value of its own; it stands here twice
spec.sweep["X/y:z"] must have at least one value
spec.replications.max is 10, but must be at least min (20)
spec.replications.until is `p50(response_time) within 1`, but must be written as `p50(response_time) within 1%`
spec.timeline[0] is an event, and events are not modelled yet
spec.expect[0].metric is `response_tme`, but must be one of `response_time`, `response_time_added`, `requests`, `failed_requests`, `failure_share`, `attempts_per_request`, `masked_failures`, `goodput`, `proxy_cpu`, `app_cpu`, `node_cpu`, `proxy_memory`, `ejections`, `time_to_first_ejection`
spec.expect[1].variant is `c`, but must be one of the variants: a, a, B
spec.expect[1].is is `5`, but must be a time such as `250us`, `1.98ms` or `2s`
spec.expect[2] must say `is`, `atLeast` or `atMost`
spec.expect[2].statistic is p50, but must be mean: goodput has no other
spec.expect[2].variant is compared with itself
spec.expect[2].over must not stand beside `versus`: difference or ratio?
spec.expect[2].within needs `is`: within what distance of what?
spec.expect[3].variant is missing: there is more than one variant
spec.expect[3].atMost is 1, but must be at least atLeast (2)
spec.expect[3].at["load.rate"] is 7, but must be one of the values swept: 1, 1
spec.expect[3].at.x is nothing that `sweep` varies
spec.expect[3].scope is `pods`, but must be such as `workload=payment` or `source=a;destination=b`
"#;

#[test]
fn every_problem_of_an_experiment_is_found_at_once() {
    let (_, problems) = own("apiVersion: meshsim/v1
kind: Experiment
metadata: {name: wrong}
spec:
  model: m
  durations: 60s
  warmUp: 10
  load:
  - {to: 'echo:8080', rate: 10}
  - {to: 'http://echo', rate: 0, timeout: 0s, connections: 0}
  - {to: 'http://echo', arrivals: poison, rate: -1}
  - {to: 'http://echo'}
  - {to: 'http://echo', rate: [{at: 5s, is: 1}, {at: 5s, is: 2}], arrivals: {closed: {users: 1}}}
  variants:
  - {name: a, dataPlane: sidecar, waypoint: service}
  - {name: a}
  - {name: B, set: {nonsense: 1, load.rate: 3}}
  sweep: {load.colour: [1], load.rate: [1, 1], 'X/y:z': []}
  replications: {min: 20, max: 10, until: 'p50(response_time) within 1'}
  timeline: [{at: 20s}]
  expect:
  - {metric: response_tme, is: 1ms, within: 1ms}
  - {metric: response_time, variant: c, is: 5, within: 10%}
  - {metric: goodput, statistic: p50, variant: a, versus: a, over: a, within: 1}
  - {metric: goodput, atLeast: 2, atMost: 1, at: {load.rate: 7, x: 1}, scope: pods}
");

    assert_eq!(sentences(&problems).join("\n"), EVERY_PROBLEM.trim());
}

#[test]
fn every_missing_field_is_named_at_once() {
    let (own, problems) = own("apiVersion: meshsim/v1
kind: Cluster
metadata: {name: c}
spec:
  nodePools:
  - {nodes: 3}
  - {name: b, cpu: 4, memory: 16Gi}
---
apiVersion: meshsim/v1
kind: Calibration
metadata: {name: empty}
spec: {description: nothing measured}
");

    let missing = |name: &str| {
        sentences(&problems)
            .iter()
            .filter(|s| s.contains(name) && s.ends_with("is missing"))
            .count()
    };
    assert_eq!(missing("spec.nodePools[0]."), 3, "name, cpu and memory: {problems}");
    assert_eq!(own.clusters[0].spec.node_pools.len(), 1, "the faulty pool is left out");
    assert!(missing("spec.sidecarWorkers") == 1 && missing("spec.ztunnelCpu") == 1, "{problems}");
    assert!(own.calibrations.is_empty());
}

#[test]
fn kinds_and_versions_of_ours_that_do_not_exist_are_errors() {
    let (_, problems) = own("apiVersion: meshsim/v2
kind: Cluster
---
apiVersion: meshsim/v1
kind: Experimnt
");

    assert_eq!(
        sentences(&problems),
        [
            "apiVersion is `meshsim/v2`, but must be meshsim/v1",
            "kind is `Experimnt`, but must be one of our kinds: Cluster, Behavior, Experiment, Calibration",
        ]
    );
}

#[test]
fn distributions_are_checked_wherever_they_stand() {
    let (_, problems) = own("apiVersion: meshsim/v1
kind: Behavior
metadata: {name: b}
spec:
  cpuTime: {lognormal: {p50: 3ms, p99: 2ms}}
  waitTime: {mixture: [{weight: 0, constant: 1ms}, {weight: 1, uniform: {min: 2ms, max: 1ms}}, {weight: 1}]}
  startup: {constant: 1s, exponential: {mean: 1s}}
  workers: 0
  calls: [{to: 'http://a', probability: 1.5}, [{to: 'http://b', count: 0}], []]
  failures: {status: 200, probability: -1}
  responseSize: 128m
");

    assert_eq!(
        sentences(&problems),
        [
            "spec.selector must name at least one label of the pods that behave like this",
            "spec.cpuTime.lognormal.p99 is 2ms, but must be above p50 (3ms)",
            "spec.waitTime.mixture[0].weight is 0, but must be above 0",
            "spec.waitTime.mixture[1].uniform.max is 1ms, but must be at least min (2ms)",
            "spec.waitTime.mixture[2] is a mapping, but must name exactly one distribution beside its weight",
            "spec.startup is a mapping, but must name exactly one distribution",
            "spec.workers is 0, but must be between 1 and 100000",
            "spec.calls[0].probability is 1.5, but must be a probability, 0 to 1",
            "spec.calls[1][0].count is 0, but must be between 1 and 1000",
            "spec.calls[2] must hold at least one call",
            "spec.failures.status is 200, but must be between 400 and 599",
            "spec.failures.probability is -1, but must be a probability, 0 to 1",
            "spec.responseSize is a part of a byte, but must be whole bytes, such as `128` or `1Ki`",
        ]
    );
}
