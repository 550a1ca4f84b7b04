//! What users write is read whole, and what is wrong with it is said at once, in place.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use proptest::prelude::*;

use meshsim::import::manifests::{load_model, load_text};
use meshsim::import::own::{OwnObjects, read_own};

use meshsim::import::yaml;
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
spec.load[1].timeout is `0s`, but must be above zero
spec.load[1].connections is 0, but must be between 1 and 100000
spec.load[2].arrivals is `poison`, but must be one of `in-step`, `uniform`, `jitter`, `poisson`, `constant`, `closed`, `trace`
spec.load[2].rate is -1, but must be above 0, at most 1000000 per second
spec.load[3].rate is missing: how many requests per second?
spec.load[4].rate must be left out: a closed loop and a trace have their own
spec.variants[0].waypoint must be left out unless dataPlane is `ambient`: only ambient has waypoints
spec.variants[1].name is `a`, but must be unlike the names before it
spec.variants[2].name is `B`, but must be a name of lower-case letters, digits and dashes, at most 63
spec.variants[2].set.nonsense must be `load.FIELD`, `load[N].FIELD`, `calibration`, `KIND/NAME:PATH` or `KIND/NAMESPACE/NAME:PATH`
spec.variants[2].set["load.rate"] names a load; what a variant changes about loads stands under its `load`
spec.sweep["load.colour"] is no field of a load; these are: rate, connections, arrivals, timeout, keepAlive, catchUp, reopenAfterError, requestSize
spec.sweep["load.rate"][1] is 1, but must be a value of its own; it stands here twice
spec.sweep["X/y:z"] must have at least one value
spec.replications.max is 10, but must be at least min (20)
spec.replications.until is `p50(response_time) within 1`, but must be written as `p50(response_time) within 1%`
spec.timeline[0] is an event, and events are not modelled yet
spec.expect[0].metric is `response_tme`, but must be one of `response_time`, `response_time_added`, `requests`, `failed_requests`, `failure_share`, `attempts_per_request`, `masked_failures`, `goodput`, `proxy_cpu`, `app_cpu`, `node_cpu`, `proxy_memory`, `ejections`, `time_to_first_ejection`
spec.expect[1].variant is `c`, but must be one of the variants: a, a, B
spec.expect[1].is is 5, but must be a time such as `250us`, `1.98ms` or `2s`
spec.expect[2] must say `is`, `atLeast` or `atMost`
spec.expect[2].statistic is `p50`, but must be mean: goodput has no other
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
  queueLimit: 2000000
  calls: [{to: 'http://a', probability: 1.5}, [{to: 'http://b', count: 0}], []]
  failures: {status: 200, probability: -1}
  responseSize: 128m
");

    assert_eq!(
        sentences(&problems),
        [
            "spec.selector must name at least one label of the pods that behave like this",
            "spec.cpuTime.lognormal.p99 is `2ms`, but must be above p50 (3ms)",
            "spec.waitTime.mixture[0].weight is 0, but must be above 0",
            "spec.waitTime.mixture[1].uniform.max is `1ms`, but must be at least min (2ms)",
            "spec.waitTime.mixture[2] is a mapping, but must name exactly one distribution beside its weight",
            "spec.startup is a mapping, but must name exactly one distribution",
            "spec.workers is 0, but must be between 1 and 100000",
            "spec.queueLimit is 2000000, but must be between 0 and 1000000",
            "spec.calls[0].probability is 1.5, but must be a probability, 0 to 1",
            "spec.calls[1][0].count is 0, but must be between 1 and 1000",
            "spec.calls[2] must hold at least one call",
            "spec.failures.status is 200, but must be between 400 and 599",
            "spec.failures.probability is -1, but must be a probability, 0 to 1",
            "spec.responseSize is `128m`, but must be whole bytes, such as `128` or `1Ki`",
        ]
    );
}

const DEPLOYMENT: &str = "apiVersion: apps/v1
kind: Deployment
metadata:
  name: größe
  labels: &labels {app: a, version: 1.10, build: 012, debug: on}
spec:
  template:
    metadata:
      labels:
        <<: *labels
        app: b
      annotations:
        proxy.istio.io/config: |
          concurrency: 2
          x: {{ not a template here }}
        folded: >-
          one
          two
";

#[test]
fn encodings_line_ends_and_byte_order_marks_do_not_matter() {
    let utf16: Vec<u8> = DEPLOYMENT.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let crlf = DEPLOYMENT.replace('\n', "\r\n");
    let plain = load_text("a.yaml", DEPLOYMENT).objects.remove(0);
    for bytes in [
        crlf.into_bytes(),
        [b"\xEF\xBB\xBF", DEPLOYMENT.as_bytes()].concat(),
        [b"\xFF\xFE", utf16.as_slice()].concat(),
        utf16,
    ] {
        let text = yaml::decode(&bytes).unwrap();
        let manifests = load_text("a.yaml", &text);
        assert!(manifests.problems.is_empty(), "{}", manifests.problems);
        assert_eq!(manifests.objects[0].node, plain.node);
    }
}

#[test]
fn anchors_merge_keys_and_block_scalars_are_yaml_too() {
    let deployment = load_text("a.yaml", DEPLOYMENT).objects.remove(0);
    let template = deployment.node.get_in(&["spec", "template", "metadata"]).unwrap();
    let labels = template.get("labels").unwrap();

    assert_eq!(labels.get("app").unwrap().text(), Some("b"), "a key beside `<<` wins");
    for (key, spelling) in [("version", "1.10"), ("build", "012"), ("debug", "on")] {
        assert_eq!(labels.get(key).unwrap().text(), Some(spelling));
    }
    let annotations = template.get("annotations").unwrap();
    assert_eq!(annotations.get("folded").unwrap().text(), Some("one two"));
    let config = annotations.get("proxy.istio.io/config").unwrap().text().unwrap();
    assert!(config.starts_with("concurrency: 2\n"));
}

#[test]
fn of_equal_keys_the_last_counts_with_a_warning() {
    let manifests = load_text(
        "a.yaml",
        "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {a: 1}\nspec: {b: 2}\n",
    );

    assert_eq!(
        sentences(&manifests.problems),
        ["the key `spec` stands here and on line 4; the last one counts"]
    );
    assert!(manifests.objects[0].node.get_in(&["spec", "b"]).is_some());
    assert!(manifests.objects[0].node.get_in(&["spec", "a"]).is_none());
}

#[test]
fn tabs_as_indentation_are_named_with_their_line() {
    let manifests = load_text("a.yaml", "apiVersion: v1\nkind: Service\nmetadata:\n\tname: a\n");

    let problem = manifests.problems.errors().next().unwrap();
    assert_eq!(
        (problem.sentence().as_str(), problem.location.as_ref().map(|place| place.line())),
        ("this line is indented with a tab, which YAML does not allow", Some(4))
    );
}

#[test]
fn a_problem_is_shown_with_its_line() {
    let (_, problems) = own(
        "apiVersion: meshsim/v1\nkind: Cluster\nspec:\n  nodePools:\n  - {name: a, cpu: 4, memory: 128m}\n",
    );

    assert_eq!(
        problems.render(false),
        "\
error: spec.nodePools[0].memory is `128m`, but must be at least 64Mi
 --> test.yaml:5:31
  |
5 |   - {name: a, cpu: 4, memory: 128m}
  |                               ^^^^
  |
  = note: in Cluster
  = help: write a suffix: `16Gi`; `m` means thousandths of a byte

1 problem; nothing was run."
    );
}

/// A folder below the system's temporary one, removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &[u8])]) -> Self {
        let root = std::env::temp_dir().join(format!("meshsim-{name}-{}", std::process::id()));
        for (file, bytes) in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().expect("it has a folder")).expect("can be made");
            fs::write(path, bytes).expect("can be written");
        }
        Self(root)
    }

    /// `text` without the path of this folder.
    fn strip(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.0.display()), "")
            .replace(&self.0.display().to_string(), "")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn service(name: &str) -> String {
    format!("apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\n")
}

#[test]
fn a_folder_of_everything_yields_its_objects_and_says_what_was_left_out() {
    let (a, b, c, d) = (service("a"), service("b"), service("c"), service("d"));
    let folder = Folder::new(
        "everything",
        &[
            ("b.yml", b.as_bytes()),
            ("a/a.yaml", a.as_bytes()),
            ("c.manifest", c.as_bytes()),
            ("README.md", b"Run\n```yaml\napiVersion: v1\nkind: [\n```\n"),
            ("ci.yaml", b"on: push\njobs: {}\n"),
            ("mkdocs.yml", b"a: [\n"),
            ("logo.png", b"\x89PNG\0\0"),
            (".git/config.yaml", d.as_bytes()),
            ("chart/Chart.yaml", b"name: x\n"),
            ("chart/templates/a.yaml", b"{{ .Values.a }}\n"),
            ("base/kustomization.yaml", b"resources: [d.yaml]\nconfigMapGenerator: []\n"),
            ("base/d.yaml", d.as_bytes()),
            ("overlay/kustomization.yaml", b"resources: [../base]\nnamePrefix: x-\n"),
            ("overlay/patch.yaml", d.replace("d}", "d, labels: {x: y}}").as_bytes()),
        ],
    );
    let manifests = load_model(&folder.0);

    let names: Vec<&str> = manifests.objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "d", "c"], "files in the order of their names");
    assert!(!manifests.problems.has_errors(), "{}", manifests.problems);
    let warnings: Vec<String> =
        sentences(&manifests.problems).iter().map(|sentence| folder.strip(sentence)).collect();
    assert_eq!(
        warnings,
        [
            "chart is a Helm chart, not manifests",
            "overlay holds a kustomization that has yet to be built; its files are left out",
        ]
    );
    let skipped: Vec<String> =
        manifests.skipped.iter().map(|skipped| folder.strip(&skipped.place)).collect();
    assert_eq!(
        skipped,
        ["README.md", "base/kustomization.yaml", "ci.yaml", "logo.png", "mkdocs.yml"]
    );
}

#[test]
fn what_was_asked_for_must_be_rendered() {
    let folder = Folder::new("chart", &[("Chart.yaml", b"name: x\n"), ("values.yaml", b"a: 1\n")]);
    let manifests = load_model(&folder.0);

    let problem = manifests.problems.errors().next().unwrap();
    assert!(problem.hint.as_ref().unwrap().contains("helm template"));
    assert_eq!(manifests.problems.errors().count(), 1);
}

#[test]
fn a_broken_manifest_in_a_folder_is_an_error() {
    let broken = "apiVersion: v1\nkind: Service\nmetadata: {name: [}\n";
    let folder = Folder::new("broken", &[("a.yaml", broken.as_bytes())]);

    assert!(load_model(&folder.0).problems.has_errors());
}

#[test]
fn compressed_dumps_are_unpacked() {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(service("a").as_bytes()).unwrap();
    let folder = Folder::new("gz", &[("dump.yaml.gz", &packer.finish().unwrap())]);

    assert_eq!(load_model(&folder.0).objects.len(), 1);
    assert_eq!(load_model(&folder.0.join("dump.yaml.gz")).objects.len(), 1);
}

/// Text that would fill memory, the stack or an afternoon.
fn bombs() -> Vec<(&'static str, String, &'static str)> {
    let nested = |start: &str| start.repeat(100_000);
    let laughs: String = ('b'..='j')
        .map(|c| {
            let before = char::from(c as u8 - 1);
            format!("{c}: &{c} [{}]\n", format!("*{before},").repeat(9))
        })
        .collect();
    let chain: String = (1..500)
        .map(|i| format!("a{i}: &a{i} {}*a{}{}\n", "[".repeat(50), i - 1, "]".repeat(50)))
        .collect();
    let long = "x".repeat(17 << 20);
    vec![
        ("brackets", nested("["), "this is nested more than 200 levels deep"),
        ("objects", nested("{\"a\":"), "this is nested more than 200 levels deep"),
        ("dashes", nested("- "), "this is nested more than 200 levels deep"),
        ("chain", format!("a0: &a0 [1]\n{chain}"), "this is nested more than 200 levels deep"),
        ("laughs", format!("a: &a [x]\n{laughs}"), "the aliases of this file repeat too much"),
        (
            "repeated text",
            format!("a: &a {}\nb: [{}]", "x".repeat(1 << 20), "*a,".repeat(100)),
            "the aliases of this file repeat too much",
        ),
        ("itself", "&a [*a]".to_owned(), "this alias stands inside the value that it repeats"),
        ("scalar", format!("a: {long}"), "this text is longer than 16 MiB"),
        (
            "key",
            format!("{}: a", "x".repeat(1 << 20)),
            "this is not YAML: mapping values are not allowed in this context",
        ),
        (
            "merge",
            "a: {<<: 1}".to_owned(),
            "`<<` must be followed by a mapping or a list of mappings",
        ),
        ("mapping as key", "{{a: 1}: 2}".to_owned(), "a key must be text, not a list or a mapping"),
        ("lists of lists", nested("apiVersion: v1\nkind: List\nitems:\n- "), ""),
    ]
}

#[test]
fn bombs_are_refused_at_once() {
    for (name, text, sentence) in bombs() {
        let (elapsed, manifests) = timed(|| load_text("bomb.yaml", &text));
        assert!(manifests.problems.has_errors() && manifests.objects.is_empty(), "{name}");
        if !sentence.is_empty() {
            assert_eq!(sentences(&manifests.problems)[0], sentence, "{name}");
        }
        assert!(elapsed < PATIENCE, "{name}: {elapsed:?}");
    }
}

#[test]
fn thousands_of_faults_cost_no_more_than_a_hundred() {
    let pool = "  - {name: a, cpu: x, memory: 1Gi}\n".repeat(20_000);
    let text = format!("apiVersion: meshsim/v1\nkind: Cluster\nspec:\n  nodePools:\n{pool}");
    let (elapsed, (_, problems)) = timed(|| own(&text));

    assert!((10..=100).contains(&problems.errors().count()));
    assert!(elapsed < PATIENCE, "{elapsed:?}");
}

/// Far more than any of it takes, as tests share a machine.
const PATIENCE: Duration = Duration::from_secs(5);

#[expect(clippy::disallowed_types, reason = "the promise is about real time")]
fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = std::time::Instant::now();
    let result = work();
    (start.elapsed(), result)
}

/// Bits of YAML, sense and nonsense.
fn yaml_soup() -> impl Strategy<Value = String> {
    let bits = prop::sample::select(vec![
        "a",
        "b: ",
        "- ",
        "\n",
        "\n  ",
        "\n    ",
        "{",
        "}",
        "[",
        "]",
        ", ",
        ": ",
        "? ",
        "&x ",
        "*x",
        "<<: ",
        "|\n",
        ">-\n",
        "\"",
        "'",
        "# c\n",
        "---\n",
        "...\n",
        "\t",
        "\r\n",
        "!!str ",
        "!t ",
        "%YAML 1.2\n",
        "{{ .V }}",
        "~",
        "1.10",
        "012",
        "on",
        "é",
        "\u{feff}",
        "\\",
        "@",
        "`",
        "apiVersion: v1\n",
        "kind: List\n",
        "items:\n",
        "metadata: {name: a}\n",
        "NOTES:\n",
        "# Source: x\n",
    ]);
    prop::collection::vec(bits, 0..40).prop_map(|bits| bits.concat())
}

fn read_everything(text: &str) {
    let manifests = load_text("soup.yaml", text);
    let mut problems = manifests.problems;
    read_own(&manifests.objects, &mut problems);
    let _ = (problems.render(true), problems.to_string());
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(text) = yaml::decode(&bytes) {
            read_everything(&text);
        }
    }

    #[test]
    fn no_yaml_makes_the_reader_panic(text in yaml_soup()) {
        read_everything(&text);
    }

    /// A cut, an insertion or an overwritten piece somewhere in what was valid.
    #[test]
    fn no_damage_to_an_experiment_makes_the_reader_panic(
        at in 0..EXPERIMENT.len(),
        cut in 0..60_usize,
        piece in yaml_soup(),
    ) {
        let end = (at + cut).min(EXPERIMENT.len());
        read_everything(&format!("{}{piece}{}", &EXPERIMENT[..at], &EXPERIMENT[end..]));
        read_everything(&format!("{}{piece}", &EXPERIMENT[..at]));
    }

    /// Whatever text stands in quotes comes out as it went in.
    #[test]
    fn text_survives_reading(text in "[^\\p{C}]{0,20}") {
        let quoted = serde_json::to_string(&text).unwrap();
        let source = format!("apiVersion: v1\nkind: A\nmetadata: {{name: {quoted}}}\n");
        let manifests = load_text("a.yaml", &source);
        prop_assume!(!text.contains("{{"));
        prop_assert_eq!(&manifests.objects[0].name, &text);
    }
}

/// Files people have, which the repository does not contain.
fn real_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::from("../shared/inputs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => files.push(path),
            }
        }
    }
    files.sort();
    files
}

#[test]
fn real_files_are_read_without_panic_and_at_once() {
    let files = real_files();
    if files.is_empty() {
        println!("skipped: ../shared/inputs is absent");
        return;
    }
    for file in &files {
        let (elapsed, manifests) = timed(|| load_model(file));
        assert!(elapsed < PATIENCE, "{}: {elapsed:?}", file.display());
        let _ = manifests.problems.render(false);
    }
    let whole = load_model(Path::new("../shared/inputs"));
    assert!(whole.objects.len() > 100, "{} objects", whole.objects.len());
}

#[test]
fn equal_dumps_in_yaml_and_json_hold_equal_objects() {
    let quirks = Path::new("../shared/inputs/quirks");
    let (from_yaml, from_json) =
        ("bookinfo-kubectl-get-list.yaml", "bookinfo-kubectl-get-list.json");
    if !quirks.is_dir() {
        println!("skipped: ../shared/inputs is absent");
        return;
    }
    let names = |file: &str| -> Vec<String> {
        let manifests = load_model(&quirks.join(file));
        assert!(!manifests.problems.has_errors(), "{}", manifests.problems);
        manifests.objects.iter().map(|object| object.label()).collect()
    };
    assert_eq!(names(from_yaml), names(from_json));
    for file in ["bookinfo-crlf.yaml", "bookinfo-bom.yaml"] {
        let plain = names("../bookinfo/kube/bookinfo.yaml");
        assert_eq!(names(file), plain, "{file}");
    }
}

#[test]
fn the_deepest_nesting_that_is_taken_fits_a_small_stack() {
    let nested = format!("{}1{}", "[".repeat(190), "]".repeat(190));
    let text = EXPERIMENT.replace("timeline: []", &format!("timeline: {nested}"));
    let small = std::thread::Builder::new().stack_size(1 << 20);
    let problems = small.spawn(move || own(&text).1).expect("threads start").join();

    let found = sentences(&problems.expect("it does not overflow"));
    assert_eq!(found, ["spec.timeline[0] is an event, and events are not modelled yet"]);
}
