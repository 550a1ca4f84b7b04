//! The same inputs and seed give the same bytes: twice, on any number of threads, and whatever
//! else stands in the cluster.

#![expect(clippy::unwrap_used, reason = "what cannot be set up fails the test")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use meshsim::experiment::{self, Experiment, Options};
use meshsim::report::csv;
use rayon::ThreadPoolBuilder;
use support::Scratch;

/// Short, and with a precision that some points reach later than others.
const EXPERIMENT: &str = r#"
apiVersion: meshsim/v1
kind: Experiment
metadata: {name: short}
spec:
  model: model
  load:
    - {from: client, to: "http://echo:8080/", rate: 300, connections: 8, arrivals: in-step}
    - {from: client, to: "http://echo:8080/", rate: 50, arrivals: poisson}
  variants:
    - {name: none, dataPlane: none}
    - {name: sidecar, dataPlane: sidecar}
    - {name: ambient-l7, dataPlane: ambient, waypoint: service}
  sweep: {"load[0].rate": [100, 400]}
  warmUp: 500ms
  duration: 2s
  replications: {min: 3, max: 12, until: "p50(response_time) within 4%"}
"#;

/// An echo server, its client and a waypoint. What `none` is replaced by labels the namespace.
const MODEL: &str = r#"
apiVersion: meshsim/v1
kind: Cluster
metadata: {name: small}
spec:
  nodePools: [{name: node, nodes: 3, zone: a, cpu: 4, memory: 8Gi}]
---
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {NAMESPACE_LABELS}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: client, namespace: shop}
spec:
  selector: {matchLabels: {app: client}}
  template:
    metadata: {labels: {app: client}}
    spec: {nodeName: node-0, containers: [{name: client}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: echo, namespace: shop}
spec:
  replicas: 3
  selector: {matchLabels: {app: echo}}
  template:
    metadata: {labels: {app: echo}}
    spec: {nodeName: node-1, containers: [{name: echo}]}
---
apiVersion: v1
kind: Service
metadata: {name: echo, namespace: shop}
spec: {selector: {app: echo}, ports: [{name: http, port: 8080}]}
"#;

/// Pinned: a scheduler would rightly move it away from a new pod.
const WAYPOINT: &str = "
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: waypoint, namespace: shop, labels: {istio.io/waypoint-for: service}}
spec:
  gatewayClassName: istio-waypoint
  infrastructure: {parametersRef: {group: '', kind: ConfigMap, name: placement}}
  listeners: [{name: mesh, port: 15008, protocol: HBONE}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: placement, namespace: shop}
data:
  deployment: |
    spec: {template: {spec: {nodeSelector: {kubernetes.io/hostname: node-1}}}}
";

/// A pod that does nothing, outside the mesh.
fn bystander(node: &str) -> String {
    format!(
        "
apiVersion: apps/v1
kind: Deployment
metadata: {{name: bystander, namespace: elsewhere}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: bystander}}}}
  template:
    metadata: {{labels: {{app: bystander}}}}
    spec: {{nodeName: {node}, containers: [{{name: bystander}}]}}
"
    )
}

fn load(scratch: &Scratch, experiment: &str, model: &str) -> Experiment {
    scratch.file("model/model.yaml", model);
    let file = scratch.file("experiment.yaml", experiment);
    experiment::load(&file, &Options::default()).unwrap_or_else(|problems| panic!("{problems}"))
}

/// The CSV files of a run on `threads` threads, by name.
fn csv_files(experiment: &Experiment, threads: usize, folder: &Path) -> BTreeMap<String, String> {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let result = pool.install(|| experiment.run(&|_| {}));
    fs::create_dir_all(folder).unwrap();
    csv::write(&result, folder).unwrap();
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let file = |path: std::path::PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, fs::read_to_string(path).unwrap())
    };
    entries.map(file).collect()
}

#[test]
fn the_same_run_gives_the_same_bytes_twice_and_on_any_number_of_threads() {
    let scratch = Scratch::new("bytes");
    let model = format!("{}{WAYPOINT}", MODEL.replace("{NAMESPACE_LABELS}", "{}"));
    let experiment = load(&scratch, EXPERIMENT, &model);
    let first = csv_files(&experiment, 1, &scratch.path().join("first"));
    assert!(first.len() >= 5 && first["summary.csv"].lines().count() > 100);
    for (name, threads) in [("again", 1), ("two", 2), ("five", 5)] {
        let other = csv_files(&experiment, threads, &scratch.path().join(name));
        assert!(first == other, "{name}: {}", first_difference(&first, &other));
    }
    let sizes: BTreeSet<&str> =
        first["summary.csv"].lines().skip(1).filter_map(|row| row.rsplit(',').next()).collect();
    assert!(sizes.len() > 1, "all points took {sizes:?} replications: nothing was decided");
}

#[test]
fn another_seed_gives_other_bytes() {
    let scratch = Scratch::new("seed");
    let model = MODEL.replace("{NAMESPACE_LABELS}", "{}");
    let experiment = EXPERIMENT.replace(", waypoint: service", "");
    let mut experiment = load(&scratch, &experiment, &model);
    let first = csv_files(&experiment, 2, &scratch.path().join("first"));
    experiment.seed += 1;
    let second = csv_files(&experiment, 2, &scratch.path().join("second"));
    assert_ne!(first["summary.csv"], second["summary.csv"]);
}

/// The rows of a file without what a ztunnel's memory is: istiod tells every ztunnel of every pod
/// of the cluster, in the mesh or not, so it grows with each.
fn rows<'a>(name: &str, text: &'a str) -> BTreeSet<std::borrow::Cow<'a, str>> {
    let header = text.lines().next().unwrap_or_default();
    let memory = header.split(',').position(|column| column.starts_with("memory"));
    let is_memory = |row: &&str| name == "summary.csv" && row.contains(",proxy_memory,");
    let without = |row: &'a str| match memory {
        None => row.into(),
        Some(memory) => {
            let kept = row.split(',').enumerate().filter(|(at, _)| *at != memory);
            kept.map(|(_, field)| field).collect::<Vec<_>>().join(",").into()
        }
    };
    text.lines().filter(|row| !is_memory(row)).map(without).collect()
}

/// A pod that does nothing draws nothing: whatever was measured before is measured still.
#[test]
fn an_unrelated_pod_leaves_every_other_row_as_it_was() {
    let planes = [
        ("none", "{}", ""),
        ("sidecar", "{istio-injection: enabled}", ""),
        (
            "ambient",
            "{istio.io/dataplane-mode: ambient, istio.io/use-waypoint: waypoint}",
            WAYPOINT,
        ),
    ];
    let start = EXPERIMENT.find("  variants:").unwrap();
    let end = EXPERIMENT.find("  sweep:").unwrap();
    let experiment = format!("{}{}", &EXPERIMENT[..start], &EXPERIMENT[end..]);
    for (plane, labels, waypoint) in planes {
        let scratch = Scratch::new(&format!("bystander-{plane}"));
        let model = format!("{}{waypoint}", MODEL.replace("{NAMESPACE_LABELS}", labels));
        let alone = load(&scratch, &experiment, &model);
        let before = csv_files(&alone, 2, &scratch.path().join("before"));
        for node in ["node-0", "node-1", "node-2"] {
            // First in the file, so that every id behind it moves.
            let model = format!("{}---{model}", bystander(node));
            let accompanied = load(&scratch, &experiment, &model);
            let after = csv_files(&accompanied, 2, &scratch.path().join(node));
            for (name, text) in &before {
                let (before, after) = (rows(name, text), rows(name, &after[name]));
                let lost: Vec<_> = before.difference(&after).take(3).collect();
                let new = after.difference(&before).find(|row| !row.contains("bystander"));
                assert!(
                    lost.is_empty() && new.is_none(),
                    "{plane}, bystander on {node}, {name}: lost {lost:#?}, new {new:?}"
                );
            }
        }
    }
}

fn first_difference(left: &BTreeMap<String, String>, right: &BTreeMap<String, String>) -> String {
    let differing = left.iter().find(|(name, text)| right.get(*name) != Some(text));
    let Some((name, text)) = differing else { return "other files".to_owned() };
    let other = right.get(name).map_or("", String::as_str);
    let pair = text.lines().zip(other.lines()).find(|(one, other)| one != other);
    format!("{name}: {pair:?}")
}
