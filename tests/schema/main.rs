//! The published JSON Schema takes what the reader takes, and refuses the usual slips.

mod validator;

use std::fs;
use std::path::{Path, PathBuf};

use meshsim::experiment::result;
use meshsim::import::manifests::{Object, load_model, load_text};
use meshsim::import::own::{is_own, read_own};
use meshsim::import::yaml::read_value;
use meshsim::scenario::spec::{Metric, Statistic, schema};
use serde_json::Value;

fn faults(object: &Object) -> Vec<String> {
    let value: Value = read_value(&object.node).value.expect("any tree is JSON");
    validator::faults(&schema(), &value)
}

const EVERYTHING: &str = r#"
apiVersion: meshsim/v1
kind: Cluster
spec:
  nodePools:
    - {name: servers, nodes: 3, zone: ap-northeast-2a, cpu: 4, memory: 16Gi, maxPods: 58}
    - {name: small, cpu: 500m, memory: 2e9}
  kubeProxy: {mode: nftables}
  meshVersion: "1.31"
---
apiVersion: meshsim/v1
kind: Behavior
metadata: {name: reviews, namespace: shop, labels: {a: b}}
spec:
  selector: {app: reviews, version: v2}
  cpuTime: {lognormal: {p50: 2ms, p99: 12ms}}
  waitTime: {mixture: [{weight: 0.9, constant: 3ms}, {weight: 0.1, mixture: [{weight: 1, gamma: {mean: 1s, cv: 2}}]}]}
  workers: 16
  queueLimit: 0
  calls:
    - {to: "http://ratings:9080/ratings", probability: 1.0}
    - [{to: "grpc://cart.shop:7070", count: 2, requestSize: 1Ki}, {to: "tcp://10.0.0.1:1"}]
  failures: {status: 500, probability: 0.001}
  requestSize: 100
  responseSize: 1.5Ki
  startup: 4s
  shutdown: {onSigterm: drain, after: 0}
---
apiVersion: meshsim/v1
kind: Experiment
metadata: {name: everything}
spec:
  question: Is it all there?
  model: ../../models/echo
  calibration: a.yaml
  seed: 7
  load:
    - {from: client, to: "http://echo:8080/echo", method: POST, rate: 200, connections: 16, arrivals: in-step, catchUp: false, keepAlive: false, reopenAfterError: false, timeout: 1s, requestSize: 1Ki}
    - {to: http://echo/, rate: [{at: 0s, is: 100}, {at: 1m30s, is: 500.5}]}
    - {to: "tcp://db:5432", arrivals: {closed: {users: 50, thinkTime: 1s}}}
    - {to: "tcp://db:5432", arrivals: {trace: {file: a.csv}}}
  variants:
    - {name: none, dataPlane: none}
    - {name: l7, dataPlane: ambient, waypoint: service, set: {"Gateway/a:x[0].y": {a: 1}}, load: {rate: 5, arrivals: poisson}}
  sweep: {load.rate: [200, 1000]}
  warmUp: 10s
  duration: 60s
  replications: {min: 10, max: 200, until: "p50(response_time) within 1%"}
  timeline: []
  expect:
    - {metric: response_time, statistic: p99.9, versus: none, variant: l7, at: {load.rate: 200}, is: 1.98ms, within: 10%, source: x, scope: workload=a}
    - {metric: goodput, variant: none, over: l7, atLeast: 0.5, atMost: 125%}
"#;

#[test]
fn what_the_reader_takes_the_schema_takes() {
    let manifests = load_text("everything.yaml", EVERYTHING);
    let mut problems = manifests.problems;
    read_own(&manifests.objects, &mut problems);

    assert!(problems.is_empty(), "{problems}");
    for object in &manifests.objects {
        assert_eq!(faults(object), [""; 0], "{}", object.label());
    }
}

#[test]
fn what_the_reader_refuses_by_itself_the_schema_refuses() {
    for (right, wrong) in [
        ("apiVersion: meshsim/v1\nkind: Cluster", "apiVersion: meshsim/v2\nkind: Cluster"),
        ("kind: Behavior", "kind: Behaviour"),
        ("cpuTime: {lognormal", "cpuTime: {lognorm"),
        ("cpu: 4,", "cpus: 4,"),
        ("mode: nftables", "mode: ebpf"),
        ("p50: 2ms", "p50: 2"),
        ("duration: 60s", "durations: 60s"),
        ("arrivals: in-step", "arrivals: in_step"),
        ("dataPlane: none", "dataPlane: nothing"),
        ("metric: goodput", "metric: badput"),
        ("model: ../../models/echo", "models: ../../models/echo"),
        ("probability: 0.001", "probability: 1.001"),
        ("onSigterm: drain", "onSigterm: die"),
    ] {
        assert!(EVERYTHING.contains(right), "{right}");
        let manifests = load_text("wrong.yaml", &EVERYTHING.replacen(right, wrong, 1));
        let refused = manifests.objects.iter().filter(|object| !faults(object).is_empty());
        assert_eq!(refused.count(), 1, "{wrong}");
    }
}

#[test]
fn metrics_and_statistics_are_those_that_are_reported() {
    let reported = |names: &mut dyn Iterator<Item = &'static str>| names.collect::<Vec<_>>();
    let metrics = reported(&mut result::Metric::ALL.iter().map(|metric| metric.name()));
    let mut known = Metric::NAMES.to_vec();
    known.sort_unstable();
    let mut sorted = metrics;
    sorted.sort_unstable();
    assert_eq!(known, sorted);
    let statistics = reported(&mut result::Statistic::ALL.iter().map(|s| s.name()));
    assert_eq!(Statistic::ALL.map(Statistic::name).to_vec(), statistics);
}

/// All YAML files below `folder`.
fn yaml_files(folder: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path if path.extension().is_some_and(|end| end == "yaml") => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

#[test]
fn every_file_of_ours_in_this_repository_is_right() {
    for file in [yaml_files("experiments"), yaml_files("models")].concat() {
        check_file(&file);
    }
}

fn check_file(file: &Path) {
    let manifests = load_model(file);
    let mut problems = manifests.problems;
    read_own(&manifests.objects, &mut problems);
    assert!(problems.is_empty(), "{}", problems.render(false));
    for object in manifests.objects.iter().filter(|object| is_own(object)) {
        assert_eq!(faults(object), [""; 0], "{}: {}", file.display(), object.label());
    }
}
