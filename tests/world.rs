//! Claims about what manifests become: workloads, placement, data planes, waypoints, services.

use std::path::Path;

use meshsim::cluster::{PodId, Role};
use meshsim::import::kubernetes::{Effect, Model, VariantOverrides, build};
use meshsim::import::manifests::{load_model, load_text};
use meshsim::mesh::path::{DataPlane, WaypointFor};
use meshsim::scenario::problem::Problems;
use meshsim::scenario::spec::{DataPlaneSpec, UrlSpec, WaypointSpec};
use meshsim::units::SimDuration;
use meshsim::workload::{Distribution, Target};

/// The model that `text` describes, taken as it stands.
fn model(text: &str) -> Model {
    variant(text, VariantOverrides::default())
}

fn variant(text: &str, overrides: VariantOverrides) -> Model {
    let manifests = load_text("test.yaml", text);
    assert!(!manifests.problems.has_errors(), "{}", manifests.problems);
    build(&manifests.objects, overrides).unwrap_or_else(|problems| panic!("{problems}"))
}

fn problems(text: &str) -> Problems {
    build(&load_text("test.yaml", text).objects, VariantOverrides::default())
        .expect_err("the model is faulty")
}

fn with(data_plane: DataPlaneSpec) -> VariantOverrides {
    VariantOverrides { data_plane: Some(data_plane), waypoint: None }
}

fn with_waypoint(waypoint: WaypointSpec) -> VariantOverrides {
    VariantOverrides { data_plane: Some(DataPlaneSpec::Ambient), waypoint: Some(waypoint) }
}

/// A Deployment called `name` in `namespace`; `more` are lines of its pods' spec.
fn deployment(namespace: &str, name: &str, replicas: u32, more: &str) -> String {
    let more: String = more.lines().map(|line| format!("      {line}\n")).collect();
    format!(
        "---\napiVersion: apps/v1\nkind: Deployment\n\
         metadata: {{name: {name}, namespace: {namespace}}}\n\
         spec:\n  replicas: {replicas}\n  selector: {{matchLabels: {{app: {name}}}}}\n  template:\n    \
         metadata: {{labels: {{app: {name}}}}}\n    spec:\n{more}      \
         containers: [{{name: app, ports: [{{name: web, containerPort: 8080}}]}}]\n"
    )
}

fn service(namespace: &str, name: &str, labels: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: Service\n\
         metadata: {{name: {name}, namespace: {namespace}, labels: {{{labels}}}}}\n\
         spec: {{selector: {{app: {name}}}, ports: [{{name: http, port: 80, targetPort: web}}]}}\n"
    )
}

fn namespace(name: &str, labels: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}, labels: {{{labels}}}}}\n"
    )
}

fn waypoint(namespace: &str, name: &str, waypoint_for: &str, from: &str) -> String {
    format!(
        "---\napiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\n\
         metadata: {{name: {name}, namespace: {namespace}, labels: {{istio.io/waypoint-for: {waypoint_for}}}}}\n\
         spec:\n  gatewayClassName: istio-waypoint\n  listeners:\n  - name: mesh\n    port: 15008\n    \
         protocol: HBONE\n    allowedRoutes: {{namespaces: {{from: {from}}}}}\n"
    )
}

/// A bare pod in `namespace` with labels, annotations and lines of its spec.
fn pod(namespace: &str, name: &str, labels: &str, annotations: &str, more: &str) -> String {
    let more: String = more.lines().map(|line| format!("  {line}\n")).collect();
    format!(
        "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n  namespace: {namespace}\n  \
         labels: {{{labels}}}\n  annotations: {{{annotations}}}\nspec:\n{more}  containers: [{{name: app}}]\n"
    )
}

/// The node of each pod of the workload called `name`.
fn nodes_of<'m>(model: &'m Model, name: &str) -> Vec<&'m str> {
    let workload = model.workload(name).unwrap_or_else(|why| panic!("{name} {why}"));
    let pods = &model.workloads[workload.index()].pods;
    let node = |pod: &PodId| model.nodes[model.pods[pod.index()].node.index()].name.as_str();
    pods.iter().map(node).collect()
}

fn data_plane_of(model: &Model, name: &str) -> DataPlane {
    let workload = model.workload(name).unwrap_or_else(|why| panic!("{name} {why}"));
    let pod = model.workloads[workload.index()].pods[0];
    model.enrolments[pod.index()].data_plane
}

fn enrolment_of(model: &Model, name: &str) -> meshsim::mesh::Enrolment {
    let workload = model.workload(name).unwrap_or_else(|why| panic!("{name} {why}"));
    model.enrolments[model.workloads[workload.index()].pods[0].index()]
}

fn waypoint_of_service<'m>(model: &'m Model, name: &str) -> Option<&'m str> {
    let index = model.services.iter().position(|service| service.name == name)?;
    model.waypoint_of_service[index].map(|waypoint| model.waypoints[waypoint].name.as_str())
}

fn waypoint_of_pod<'m>(model: &'m Model, name: &str) -> Option<&'m str> {
    let index = model.pods.iter().position(|pod| pod.name == name)?;
    model.waypoint_of_pod[index].map(|waypoint| model.waypoints[waypoint].name.as_str())
}

fn warnings(model: &Model) -> Vec<&str> {
    model.coverage.warnings.iter().map(|warning| warning.message.as_str()).collect()
}

mod echo {
    use super::*;

    fn echo(overrides: VariantOverrides) -> Model {
        let manifests = load_model(Path::new("models/echo"));
        assert!(manifests.problems.is_empty(), "{}", manifests.problems);
        build(&manifests.objects, overrides).unwrap_or_else(|problems| panic!("{problems}"))
    }

    #[test]
    fn requests_cross_from_the_client_node_to_the_server_node_in_every_variant() {
        for overrides in [
            with(DataPlaneSpec::None),
            with(DataPlaneSpec::Sidecar),
            with(DataPlaneSpec::Ambient),
            with_waypoint(WaypointSpec::Service),
        ] {
            let model = echo(overrides);
            assert_eq!(nodes_of(&model, "client"), ["client-0"]);
            assert_eq!(nodes_of(&model, "echo"), ["server-0"; 3]);
            assert_eq!(warnings(&model), [""; 0]);
        }
    }

    #[test]
    fn the_waypoint_is_there_only_for_the_variant_that_wants_it_and_stays_where_it_is_pinned() {
        for data_plane in [DataPlaneSpec::None, DataPlaneSpec::Sidecar, DataPlaneSpec::Ambient] {
            let model = echo(with(data_plane));
            assert!(model.waypoints.is_empty() && model.workloads.len() == 2, "{data_plane:?}");
            assert_eq!(model.services.len(), 1);
        }
        let model = echo(with_waypoint(WaypointSpec::Service));
        assert_eq!(nodes_of(&model, "waypoint"), ["server-0"]);
        assert_eq!(waypoint_of_service(&model, "echo"), Some("waypoint"));
        assert_eq!(waypoint_of_pod(&model, "echo-0"), None);
        assert_eq!(enrolment_of(&model, "waypoint").concurrency, 2);
    }

    #[test]
    fn nothing_that_matters_is_left_out_or_assumed() {
        let coverage = echo(with(DataPlaneSpec::Sidecar)).coverage;
        assert!(coverage.is_complete(), "{coverage}");
        assert_eq!(coverage.assumptions, []);
    }

    #[test]
    fn echo_answers_after_its_fitted_cpu_time() {
        let model = echo(with(DataPlaneSpec::None));
        let echo = model.workload("echo").unwrap();
        let behavior = &model.behaviors[model.workloads[echo.index()].behavior];
        assert_eq!(behavior.cpu_time, Distribution::Constant(SimDuration::from_micros(23)));
        assert_eq!(behavior.response_bytes, 1024);
    }
}

mod placement {
    use super::*;

    #[test]
    fn without_any_node_three_are_assumed_and_replicas_spread_over_them() {
        let model = model(&(deployment("a", "web", 3, "") + &service("a", "web", "")));
        assert_eq!(nodes_of(&model, "web"), ["node-0", "node-1", "node-2"]);
        assert!(model.nodes.iter().all(|node| node.cores == 4 && node.zone == "zone-a"));
        assert_eq!(model.coverage.assumptions[0].subject, "nodes");
    }

    const POOLS: &str = "---\napiVersion: meshsim/v1\nkind: Cluster\nspec:\n  nodePools:\n  \
        - {name: a, nodes: 2, zone: eu-west-1a, cpu: 2, memory: 4Gi, maxPods: 10}\n  \
        - {name: b, zone: eu-west-1b, cpu: 8, memory: 32Gi}\n";

    #[test]
    fn pools_of_a_cluster_become_nodes() {
        let model = model(&(POOLS.to_owned() + &deployment("x", "web", 1, "")));
        let shown: Vec<_> = model
            .nodes
            .iter()
            .map(|n| (n.name.as_str(), n.zone.as_str(), n.region.as_str(), n.cores, n.max_pods))
            .collect();
        assert_eq!(
            shown,
            [
                ("a-0", "eu-west-1a", "eu-west-1", 2, 10),
                ("a-1", "eu-west-1a", "eu-west-1", 2, 10),
                ("b-0", "eu-west-1b", "eu-west-1", 8, 110)
            ]
        );
    }

    #[test]
    fn node_objects_give_allocatable_capacity_zones_and_taints() {
        let node = |name: &str, more: &str| {
            format!(
                "---\napiVersion: v1\nkind: Node\n\
                 metadata: {{name: {name}, labels: {{failure-domain.beta.kubernetes.io/zone: z1}}}}\n\
                 spec: {{{more}}}\n\
                 status:\n  capacity: {{cpu: \"4\", memory: 16Gi, pods: \"58\"}}\n  \
                 allocatable: {{cpu: 3920m, memory: 15Gi, pods: \"58\"}}\n"
            )
        };
        let text = node("n1", "unschedulable: true")
            + &node("n2", "taints: [{key: gpu, effect: NoSchedule}]")
            + &node("n3", "")
            + &deployment("x", "web", 2, "");
        let model = model(&text);
        let n1 = &model.nodes[0];
        assert_eq!((n1.cores, n1.allocatable_millicores, n1.max_pods), (4, 3920, 58));
        assert_eq!(n1.allocatable_bytes, 15 << 30);
        assert_eq!(n1.zone, "z1");
        assert_eq!(nodes_of(&model, "web"), ["n3", "n3"]);
    }

    #[test]
    fn selectors_affinity_and_spread_of_manifests_reach_the_scheduler() {
        let pinned = "nodeSelector: {meshsim/node-pool: b}";
        let affine = "affinity:\n  nodeAffinity:\n    requiredDuringSchedulingIgnoredDuringExecution:\n      \
                      nodeSelectorTerms:\n      - matchExpressions: [{key: topology.kubernetes.io/zone, operator: NotIn, values: [eu-west-1b]}]";
        let apart = "affinity:\n  podAntiAffinity:\n    requiredDuringSchedulingIgnoredDuringExecution:\n    \
                     - {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: apart}}}";
        let spread = "topologySpreadConstraints:\n\
                      - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: spread}}}";
        let text = POOLS.to_owned()
            + &deployment("x", "pinned", 2, pinned)
            + &deployment("x", "affine", 2, affine)
            + &deployment("x", "apart", 3, apart)
            + &deployment("x", "spread", 4, spread)
            + &deployment("x", "named", 1, "nodeName: a-1");
        let model = model(&text);
        assert_eq!(nodes_of(&model, "pinned"), ["b-0", "b-0"]);
        assert!(nodes_of(&model, "affine").iter().all(|node| node.starts_with("a-")));
        let mut apart = nodes_of(&model, "apart");
        apart.sort_unstable();
        assert_eq!(apart, ["a-0", "a-1", "b-0"]);
        let in_b = nodes_of(&model, "spread").iter().filter(|node| **node == "b-0").count();
        assert_eq!(in_b, 2, "two zones, four pods");
        assert_eq!(nodes_of(&model, "named"), ["a-1"]);
    }

    #[test]
    fn what_finds_no_room_is_pending_and_the_rest_runs() {
        let large = "containers: [{name: app, resources: {requests: {cpu: 3}}}]";
        let text = deployment("x", "large", 5, "")
            .replace("containers: [{name: app, ports: [{name: web, containerPort: 8080}]}]", large)
            + &deployment("x", "small", 1, "");
        let model = model(&text);
        assert_eq!(nodes_of(&model, "large").len(), 3);
        assert_eq!(nodes_of(&model, "small").len(), 1);
        assert_eq!(
            warnings(&model),
            ["has 2 of 5 pods Pending: 0/3 nodes are available: 3 Insufficient cpu."]
        );
        let warning = &model.coverage.warnings[0];
        assert_eq!(warning.object, "Deployment/x/large");
        assert!(warning.place.starts_with("test.yaml:2:"), "{}", warning.place);
    }

    #[test]
    fn sidecars_take_room_that_ztunnels_do_not() {
        // 3 nodes of 4 cores: 0.9 + 0.1 for the sidecar fit four times; without it four times, too,
        // but 0.3 for ztunnel and the CNI agent leave room for four on each.
        let of = |requests: &str| {
            deployment("x", "web", 99, "").replace(
                "{name: app, ports: [{name: web, containerPort: 8080}]}",
                &format!("{{name: app, resources: {{requests: {{cpu: {requests}}}}}}}"),
            )
        };
        let placed =
            |requests, data_plane| nodes_of(&variant(&of(requests), with(data_plane)), "web").len();
        assert_eq!(placed("900m", DataPlaneSpec::Sidecar), 3 * 4);
        assert_eq!(placed("901m", DataPlaneSpec::Sidecar), 3 * 3);
        assert_eq!(placed("901m", DataPlaneSpec::None), 3 * 4);
        assert_eq!(placed("925m", DataPlaneSpec::Ambient), 3 * 4);
        assert_eq!(placed("926m", DataPlaneSpec::Ambient), 3 * 3);
    }

    #[test]
    fn a_daemon_set_runs_once_on_every_node_it_tolerates() {
        let text = POOLS.to_owned()
            + "---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent}\nspec:\n  \
               selector: {matchLabels: {app: agent}}\n  template:\n    metadata: {labels: {app: agent}}\n    \
               spec: {containers: [{name: agent}], nodeSelector: {topology.kubernetes.io/zone: eu-west-1a}}\n";
        let model = model(&text);
        assert_eq!(nodes_of(&model, "agent"), ["a-0", "a-1"]);
        assert_eq!(warnings(&model), [""; 0]);
    }

    #[test]
    fn every_pod_has_its_own_address_and_name() {
        let model = model(
            &(POOLS.to_owned()
                + &deployment("x", "web", 12, "")
                + &pod("x", "web-1", "", "", "")
                + &deployment("y", "web", 3, "")),
        );
        let mut ips: Vec<_> = model.pods.iter().map(|pod| pod.ip).collect();
        ips.sort();
        ips.dedup();
        assert_eq!(ips.len(), 16);
        let mut names: Vec<_> =
            model.pods.iter().map(|pod| (pod.namespace.as_str(), pod.name.as_str())).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 16);
    }
}

mod ownership {
    use super::*;

    const OWNED: &str = "---\napiVersion: apps/v1\nkind: ReplicaSet\n\
        metadata: {name: web-5d8, namespace: x, ownerReferences: [{kind: Deployment, name: web, controller: true}]}\n\
        spec: {replicas: 2, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app}]}}}\n\
        ---\napiVersion: apps/v1\nkind: ReplicaSet\n\
        metadata: {name: web-old, namespace: x, ownerReferences: [{kind: Deployment, name: web, controller: true}]}\n\
        spec: {replicas: 0, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app}]}}}\n";

    fn running(name: &str, node: &str, phase: &str) -> String {
        format!(
            "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: {name}\n  namespace: x\n  \
             labels: {{app: web, pod-template-hash: 5d8}}\n  \
             ownerReferences: [{{kind: ReplicaSet, name: web-5d8, controller: true}}]\n\
             spec: {{nodeName: {node}, containers: [{{name: app}}]}}\nstatus: {{phase: {phase}}}\n"
        )
    }

    #[test]
    fn a_deployment_its_replica_sets_and_pods_count_once_and_pods_stay_where_they_run() {
        let text = deployment("x", "web", 2, "")
            + OWNED
            + &running("web-5d8-a", "n7", "Running")
            + &running("web-5d8-b", "n3", "Running")
            + &running("web-5d8-c", "n3", "Failed");
        let model = model(&text);
        assert_eq!(model.workloads.len(), 1);
        assert_eq!(nodes_of(&model, "web"), ["n7", "n3"]);
        assert_eq!(model.nodes.len(), 2, "the nodes that running pods name");
    }

    #[test]
    fn pods_stand_for_an_owner_that_is_not_in_the_model() {
        let text = running("web-5d8-a", "n1", "Running") + &running("web-5d8-b", "n2", "Running");
        let model = model(&text);
        assert_eq!(model.workloads[0].kind, "Deployment");
        assert_eq!(nodes_of(&model, "web"), ["n1", "n2"]);
    }

    #[test]
    fn pods_that_have_ended_or_belong_to_jobs_are_no_part_of_the_steady_state() {
        let job = running("job-1", "n1", "Running")
            .replace("kind: ReplicaSet, name: web-5d8", "kind: Job, name: job");
        let model = model(&(running("web-5d8-a", "n1", "Succeeded") + &job));
        assert!(model.pods.is_empty());
    }

    #[test]
    fn an_autoscaler_gives_the_replicas_that_a_deployment_leaves_out() {
        let text = deployment("x", "web", 1, "").replace("  replicas: 1\n", "")
            + "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n\
               metadata: {name: web, namespace: x}\n\
               spec: {scaleTargetRef: {kind: Deployment, name: web}, minReplicas: 4, maxReplicas: 9}\n";
        let model = model(&text);
        assert_eq!(model.workloads[0].pods.len(), 4);
        assert!(model.coverage.assumptions.iter().any(|a| a.assumed == "4 replicas"));
    }
}

mod injection {
    use super::*;

    /// The data plane of a pod with these labels, annotations and spec in a namespace with these.
    fn plane(namespace_labels: &str, labels: &str, annotations: &str, spec: &str) -> DataPlane {
        let text = namespace("n", namespace_labels) + &pod("n", "p", labels, annotations, spec);
        data_plane_of(&model(&text), "p")
    }

    #[test]
    fn labels_of_namespace_and_pod_decide_as_istios_webhooks_do() {
        use DataPlane::{None, Sidecar};
        for (namespace, labels, annotations, expected) in [
            ("", "", "", None),
            ("istio-injection: enabled", "", "", Sidecar),
            ("istio.io/rev: stable", "", "", Sidecar),
            ("istio-injection: enabled", "sidecar.istio.io/inject: \"false\"", "", None),
            ("istio-injection: enabled", "", "sidecar.istio.io/inject: \"false\"", None),
            ("", "sidecar.istio.io/inject: \"true\"", "", Sidecar),
            ("", "istio.io/rev: stable", "", Sidecar),
            // Webhooks see labels only.
            ("", "", "sidecar.istio.io/inject: \"true\"", None),
            // A label on the pod cannot open a namespace that is closed.
            ("istio-injection: disabled", "sidecar.istio.io/inject: \"true\"", "", None),
            // The label stands before the annotation.
            (
                "istio-injection: enabled",
                "sidecar.istio.io/inject: \"true\"",
                "sidecar.istio.io/inject: \"false\"",
                Sidecar,
            ),
            // `istio-injection` stands before a revision.
            ("istio-injection: disabled, istio.io/rev: stable", "", "", None),
        ] {
            let found = plane(namespace, labels, annotations, "");
            assert_eq!(
                found, expected,
                "namespace {{{namespace}}} pod {{{labels}}} {{{annotations}}}"
            );
        }
    }

    #[test]
    fn ambient_labels_decide_unless_a_sidecar_is_there() {
        use DataPlane::{Ambient, None, Sidecar};
        for (namespace, labels, expected) in [
            ("istio.io/dataplane-mode: ambient", "", Ambient),
            ("", "istio.io/dataplane-mode: ambient", Ambient),
            ("istio.io/dataplane-mode: ambient", "istio.io/dataplane-mode: none", None),
            ("istio.io/dataplane-mode: ambient, istio-injection: enabled", "", Sidecar),
        ] {
            assert_eq!(plane(namespace, labels, "", ""), expected, "{namespace} / {labels}");
        }
    }

    #[test]
    fn host_network_pods_stay_outside() {
        for namespace in ["istio-injection: enabled", "istio.io/dataplane-mode: ambient"] {
            assert_eq!(plane(namespace, "", "", "hostNetwork: true"), DataPlane::None);
        }
    }

    const NATIVE: &str = "initContainers:\n- {name: istio-init}\n\
        - {name: istio-proxy, restartPolicy: Always, resources: {requests: {cpu: 70m}, limits: {cpu: 4}}}";

    #[test]
    fn an_injected_sidecar_is_recognized_and_not_injected_again() {
        let text = namespace("n", "istio-injection: enabled") + &pod("n", "p", "", "", NATIVE);
        let model = model(&text);
        let enrolment = enrolment_of(&model, "p");
        assert_eq!(enrolment.data_plane, DataPlane::Sidecar);
        assert!(enrolment.native_sidecar);
        assert_eq!(enrolment.sidecar.request_millicores, 70);
        assert_eq!(enrolment.concurrency, 4);
        assert_eq!(model.placements[0].requests.millicores, 70, "counted once");

        let beside = pod("n", "p", "", "", "")
            .replace("containers: [{name: app}]", "containers: [{name: app}, {name: istio-proxy}]");
        let enrolment = enrolment_of(&super::model(&beside), "p");
        assert_eq!(enrolment.data_plane, DataPlane::Sidecar, "even without a Namespace object");
        assert!(!enrolment.native_sidecar);
        assert_eq!(enrolment.concurrency, 4, "no limit: as many as the node has cores");
    }

    #[test]
    fn variants_inject_or_strip_whatever_has_not_opted_out() {
        let text = pod("n", "plain", "", "", "")
            + &pod("n", "out", "sidecar.istio.io/inject: \"false\"", "", "")
            + &pod("n", "injected", "", "", NATIVE)
            + &pod("n", "unmeshed", "istio.io/dataplane-mode: none", "", "")
            + &pod("kube-system", "dns", "", "", "");
        let names = ["plain", "out", "injected", "unmeshed", "dns"];
        let planes = |data_plane| {
            let model = variant(&text, with(data_plane));
            names.map(|name| data_plane_of(&model, name))
        };
        use DataPlane::{Ambient, None, Sidecar};
        assert_eq!(planes(DataPlaneSpec::None), [None; 5]);
        assert_eq!(planes(DataPlaneSpec::Sidecar), [Sidecar, None, Sidecar, Sidecar, None]);
        assert_eq!(planes(DataPlaneSpec::Ambient), [Ambient, Ambient, Ambient, None, None]);
        let stripped = variant(&text, with(DataPlaneSpec::Ambient));
        assert_eq!(stripped.placements[2].requests.millicores, 0, "the sidecar is gone");
    }

    #[test]
    fn annotations_size_the_sidecar_and_drop_the_other_defaults() {
        let sized = |annotations: &str| {
            let text =
                namespace("n", "istio-injection: enabled") + &pod("n", "p", "", annotations, "");
            enrolment_of(&model(&text), "p")
        };
        let default = sized("");
        assert_eq!(default.sidecar.request_millicores, 100);
        assert_eq!(default.sidecar.limit_millicores, Some(2000));
        assert_eq!(default.concurrency, 2);

        let limited = sized("sidecar.istio.io/proxyCPULimit: 2500m");
        assert_eq!(limited.concurrency, 3);
        assert_eq!(limited.sidecar.request_millicores, 2500, "a missing request is the limit");
        assert_eq!(limited.sidecar.limit_bytes, None, "one annotation replaces all four defaults");

        assert_eq!(sized("proxy.istio.io/config: \"concurrency: 6\"").concurrency, 6);
        assert_eq!(sized("proxy.istio.io/config: \"concurrency: 0\"").concurrency, 4);
    }

    #[test]
    fn malformed_annotations_are_errors_with_their_place() {
        let text = deployment("n", "web", 1, "").replace(
            "labels: {app: web}}",
            "labels: {app: web}, annotations: {sidecar.istio.io/proxyCPULimit: lots, proxy.istio.io/config: \"[\"}}",
        );
        let shown = problems(&text).to_string();
        assert!(shown.contains("`lots`, but must be a quantity such as `250m`"), "{shown}");
        assert!(shown.contains("must be YAML of a ProxyConfig"), "{shown}");
        assert!(shown.contains("test.yaml:"), "{shown}");
    }

    #[test]
    fn sidecars_take_hbone_where_the_mesh_is_ambient_too_or_a_label_says_so() {
        let sidecar = pod("n", "s", "sidecar.istio.io/inject: \"true\"", "", "");
        let ambient = pod("n", "a", "istio.io/dataplane-mode: ambient", "", "");
        assert!(!enrolment_of(&model(&sidecar), "s").hbone);
        assert!(enrolment_of(&model(&(sidecar.clone() + &ambient)), "s").hbone);
        let labelled = sidecar.replace("\"true\"", "\"true\", networking.istio.io/tunnel: http");
        assert!(enrolment_of(&model(&labelled), "s").hbone);
    }
}

mod waypoints {
    use super::*;

    const AMBIENT: &str = "istio.io/dataplane-mode: ambient";

    fn shop(namespace_labels: &str, service_labels: &str, pod_labels: &str, kind: &str) -> Model {
        let web = deployment("shop", "web", 1, "")
            .replace("labels: {app: web}}", &format!("labels: {{app: web{pod_labels}}}}}"));
        let text = namespace("shop", &format!("{AMBIENT}{namespace_labels}"))
            + &web
            + &service("shop", "web", service_labels)
            + &waypoint("shop", "wp", kind, "Same");
        model(&text)
    }

    #[test]
    fn a_label_on_the_service_binds_it_to_a_waypoint_for_services() {
        for (kind, bound) in
            [("service", Some("wp")), ("all", Some("wp")), ("workload", None), ("none", None)]
        {
            let model = shop("", "istio.io/use-waypoint: wp", "", kind);
            assert_eq!(waypoint_of_service(&model, "web"), bound, "{kind}");
            assert_eq!(warnings(&model).len(), usize::from(bound.is_none()), "{kind}");
        }
    }

    #[test]
    fn a_label_on_the_pod_binds_it_to_a_waypoint_for_workloads() {
        for (kind, bound) in
            [("workload", Some("wp")), ("all", Some("wp")), ("service", None), ("none", None)]
        {
            let model = shop("", "", ", istio.io/use-waypoint: wp", kind);
            assert_eq!(waypoint_of_pod(&model, "web-0"), bound, "{kind}");
            assert_eq!(warnings(&model).len(), usize::from(bound.is_none()), "{kind}");
        }
    }

    #[test]
    fn a_namespaces_waypoint_for_services_leaves_pods_unbound_without_a_word() {
        let model = shop(", istio.io/use-waypoint: wp", "", "", "service");
        assert_eq!(waypoint_of_service(&model, "web"), Some("wp"));
        assert_eq!(waypoint_of_pod(&model, "web-0"), None);
        assert_eq!(warnings(&model), [""; 0]);
    }

    #[test]
    fn a_namespaces_waypoint_for_workloads_leaves_services_unbound_with_a_warning() {
        let model = shop(", istio.io/use-waypoint: wp", "", "", "workload");
        assert_eq!(waypoint_of_service(&model, "web"), None);
        assert_eq!(waypoint_of_pod(&model, "web-0"), Some("wp"));
        assert_eq!(
            warnings(&model),
            [
                "metadata.labels names the waypoint `shop/wp`, which is for traffic to pods: it is not used"
            ]
        );
    }

    #[test]
    fn none_opts_out_and_a_missing_waypoint_is_no_fallback() {
        let of_namespace = ", istio.io/use-waypoint: wp";
        let out = shop(of_namespace, "istio.io/use-waypoint: none", "", "service");
        assert_eq!(waypoint_of_service(&out, "web"), None);
        assert_eq!(warnings(&out), [""; 0]);
        let missing = shop(of_namespace, "istio.io/use-waypoint: gone", "", "service");
        assert_eq!(waypoint_of_service(&missing, "web"), None);
        assert!(warnings(&missing)[0].contains("`shop/gone`, which does not exist"));
    }

    #[test]
    fn a_waypoint_of_another_namespace_must_admit_this_one() {
        for (from, bound) in [("All", Some("wp")), ("Same", None)] {
            let labels = "istio.io/use-waypoint: wp, istio.io/use-waypoint-namespace: infra";
            let text = deployment("shop", "web", 1, "")
                + &service("shop", "web", labels)
                + &waypoint("infra", "wp", "service", from);
            let model = model(&text);
            assert_eq!(waypoint_of_service(&model, "web"), bound, "{from}");
        }
    }

    #[test]
    fn gateways_go_through_the_waypoint_where_the_service_or_its_namespace_says_so() {
        for (of_namespace, of_service, expected) in [
            ("", "", false),
            (", istio.io/ingress-use-waypoint: \"true\"", "", true),
            (
                ", istio.io/ingress-use-waypoint: \"true\"",
                "istio.io/ingress-use-waypoint: \"false\"",
                false,
            ),
            ("", "istio.io/ingress-use-waypoint: \"true\"", true),
        ] {
            let model = shop(of_namespace, of_service, "", "service");
            assert_eq!(model.ingress_use_waypoint[0], expected, "{of_namespace} / {of_service}");
        }
    }

    #[test]
    fn a_variant_adds_a_waypoint_of_one_pod_where_there_is_none() {
        let text = deployment("a", "web", 2, "") + &service("a", "web", "");
        let model = variant(&text, with_waypoint(WaypointSpec::Service));
        assert_eq!(model.waypoints.len(), 1);
        assert_eq!(model.waypoints[0].qualified_name(), "a/waypoint");
        assert_eq!(model.waypoints[0].waypoint_for, WaypointFor::Service);
        assert_eq!(nodes_of(&model, "waypoint").len(), 1);
        assert_eq!(waypoint_of_service(&model, "web"), Some("waypoint"));
        let workload = &model.workloads[model.workload("waypoint").unwrap().index()];
        assert_eq!(workload.role, Role::Waypoint);
        assert_eq!(workload.resources.limit_millicores, Some(2000));
    }

    #[test]
    fn a_variant_for_workloads_binds_pods_and_one_for_all_binds_both() {
        let text = deployment("a", "web", 1, "") + &service("a", "web", "");
        let workload = variant(&text, with_waypoint(WaypointSpec::Workload));
        assert_eq!(waypoint_of_service(&workload, "web"), None);
        assert_eq!(waypoint_of_pod(&workload, "web-0"), Some("waypoint"));
        let all = variant(&text, with_waypoint(WaypointSpec::All));
        assert_eq!(waypoint_of_service(&all, "web"), Some("waypoint"));
        assert_eq!(waypoint_of_pod(&all, "web-0"), Some("waypoint"));
        assert_eq!(warnings(&workload), [""; 0]);
    }

    #[test]
    fn a_variant_without_waypoints_removes_bindings_and_proxies() {
        let text = namespace("shop", AMBIENT)
            + &deployment("shop", "web", 1, "")
            + &service("shop", "web", "istio.io/use-waypoint: wp")
            + &waypoint("shop", "wp", "service", "Same");
        let model = variant(&text, with_waypoint(WaypointSpec::None));
        assert_eq!(waypoint_of_service(&model, "web"), None);
        assert!(model.waypoints.is_empty());
        assert_eq!(model.workloads.len(), 1);
    }

    #[test]
    fn a_waypoint_of_a_dump_is_its_deployment_once() {
        let text = waypoint("shop", "wp", "service", "Same")
            + &service("shop", "web", "istio.io/use-waypoint: wp")
            + &deployment("shop", "web", 1, "")
            + "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: wp, namespace: shop}\n\
               spec:\n  replicas: 3\n  template:\n    metadata: {labels: {gateway.networking.k8s.io/gateway-name: wp}}\n    \
               spec: {containers: [{name: istio-proxy, resources: {limits: {cpu: 1}}}]}\n\
               ---\napiVersion: v1\nkind: Service\nmetadata: {name: wp, namespace: shop}\n\
               spec: {selector: {gateway.networking.k8s.io/gateway-name: wp}, ports: [{name: mesh, port: 15008}]}\n";
        let model = model(&text);
        assert_eq!(nodes_of(&model, "wp").len(), 3);
        assert_eq!(enrolment_of(&model, "wp").concurrency, 1);
        assert_eq!(model.services.iter().filter(|service| service.name == "wp").count(), 1);
        assert_eq!(waypoint_of_service(&model, "web"), Some("wp"));
        assert_eq!(model.workloads[model.waypoints[0].workload.index()].name, "wp");
    }

    #[test]
    fn ingress_gateways_get_pods_and_a_service_named_after_their_class() {
        let gateway = |class: &str| {
            format!(
                "---\napiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: {{name: edge, namespace: in}}\n\
                 spec: {{gatewayClassName: {class}, listeners: [{{name: web, port: 80, protocol: HTTP}}]}}\n"
            )
        };
        let istio = model(&gateway("istio"));
        assert_eq!(istio.workloads[0].role, Role::Gateway);
        assert_eq!(istio.workloads[0].name, "edge-istio");
        let ports: Vec<u16> = istio.services[0].ports.iter().map(|port| port.port).collect();
        assert_eq!((istio.services[0].name.as_str(), ports), ("edge-istio", vec![15021, 80]));
        assert_eq!(istio.services[0].endpoints, [PodId(0)]);

        let foreign = model(&gateway("cilium"));
        assert!(foreign.workloads.is_empty());
        assert!(warnings(&foreign)[0].contains("`cilium` is no class of Istio's"));
    }
}

mod services {
    use super::*;

    #[test]
    fn endpoints_are_the_selected_pods_of_the_same_namespace() {
        let text = deployment("a", "web", 2, "")
            + &deployment("a", "other", 1, "")
            + &deployment("b", "web", 1, "")
            + &service("a", "web", "");
        let model = model(&text);
        let names: Vec<_> = model.services[0]
            .endpoints
            .iter()
            .map(|pod| (&model.pods[pod.index()].namespace[..], &model.pods[pod.index()].name[..]))
            .collect();
        assert_eq!(names, [("a", "web-0"), ("a", "web-1")]);
        assert_eq!(model.services[0].ports[0].target_port, 8080, "by the name `web`");
    }

    #[test]
    fn protocols_stay_as_written_and_other_transports_are_left_out() {
        let text = deployment("a", "web", 1, "")
            + "---\napiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: a}\nspec:\n  clusterIP: None\n  \
               selector: {app: web}\n  ports:\n  - {name: grpc-api, port: 1, appProtocol: kubernetes.io/h2c}\n  \
               - {name: dns, port: 53, protocol: UDP}\n";
        let service = &model(&text).services[0];
        assert!(service.headless);
        assert_eq!(service.ports.len(), 1);
        assert_eq!(service.ports[0].name, "grpc-api");
        assert_eq!(service.ports[0].app_protocol.as_deref(), Some("kubernetes.io/h2c"));
        assert_eq!(service.ports[0].target_port, 1);
    }

    #[test]
    fn services_that_lead_out_of_the_model_are_listed() {
        let text = deployment("a", "web", 1, "")
            + "---\napiVersion: v1\nkind: Service\nmetadata: {name: away, namespace: a}\n\
               spec: {type: ExternalName, externalName: example.org}\n\
               ---\napiVersion: v1\nkind: Service\nmetadata: {name: manual, namespace: a}\nspec: {ports: [{port: 80}]}\n";
        let model = model(&text);
        assert!(model.services.is_empty());
        let listed: Vec<_> =
            model.coverage.ignored_objects.iter().map(|kind| &kind.objects[0][..]).collect();
        assert_eq!(listed, ["a/away", "a/manual"]);
        assert!(model.coverage.modelled.iter().all(|kind| kind.kind != "Service"));
    }

    #[test]
    fn a_selector_or_port_name_without_pods_is_a_warning() {
        let text = deployment("a", "web", 1, "")
            + &service("a", "gone", "")
            + &service("a", "web", "").replace("targetPort: web", "targetPort: admin");
        let model = model(&text);
        let shown = warnings(&model);
        assert_eq!(shown.len(), 3, "{shown:?}");
        assert_eq!(shown[0], "spec.selector selects no pods: calls are refused");
        assert!(shown[2].starts_with("spec.ports[0].targetPort is `admin`"), "{shown:?}");
    }
}

mod calls {
    use super::*;

    fn target(model: &Model, url: &str, from: &str) -> Result<String, String> {
        let url: UrlSpec = url.parse().expect("the test writes a URL");
        model.target(&url, from).map(|target| match target {
            Target::Service { service, port } => {
                let service = &model.services[service.index()];
                format!("{}:{}", service.qualified_name(), service.ports[port].port)
            }
            Target::PodIp { pod, port } => format!("pod {}:{port}", model.pods[pod.index()].name),
        })
    }

    #[test]
    fn names_are_resolved_as_in_a_pod() {
        let model = model(
            &(deployment("a", "web", 2, "")
                + &service("a", "web", "")
                + &deployment("b", "web", 1, "")
                + &service("b", "web", "")),
        );
        for (url, from, expected) in [
            ("http://web", "a", "a/web:80"),
            ("http://web:80/x?y=z", "b", "b/web:80"),
            ("http://web.b", "a", "b/web:80"),
            ("http://web.b.svc", "a", "b/web:80"),
            ("http://web.b.svc.cluster.local", "a", "b/web:80"),
            ("http://web-1.web", "a", "pod web-1:80"),
            ("http://web-1.web.a.svc.cluster.local:9999", "b", "pod web-1:9999"),
        ] {
            assert_eq!(target(&model, url, from).as_deref(), Ok(expected), "{url} from {from}");
        }
        let ip = format!("http://{}:8080", model.pods[2].ip);
        assert_eq!(target(&model, &ip, "a").as_deref(), Ok("pod web-0:8080"));
    }

    #[test]
    fn what_names_nothing_is_refused_with_what_there_is() {
        let model = model(&(deployment("a", "web", 1, "") + &service("a", "web", "")));
        for (url, from, reason) in [
            ("http://web", "b", "must name a Service that `b` sees; there is `web.a`"),
            (
                "http://api.example.org",
                "a",
                "must name a Service of the model, and none is called `api`",
            ),
            ("http://web:81", "a", "must dial a port of the Service a/web: 80"),
            ("http://192.0.2.1:80", "a", "must name a pod, but none has the address 192.0.2.1"),
        ] {
            assert_eq!(target(&model, url, from), Err(reason.to_owned()), "{url}");
        }
    }

    #[test]
    fn behaviors_apply_by_labels_and_their_calls_are_resolved_where_the_caller_is() {
        let behavior = |name: &str, selector: &str, more: &str| {
            format!(
                "---\napiVersion: meshsim/v1\nkind: Behavior\nmetadata: {{name: {name}}}\n\
                 spec:\n  selector: {{{selector}}}\n  {more}\n"
            )
        };
        let text = deployment("a", "front", 1, "")
            + &deployment("a", "back", 1, "")
            + &service("a", "back", "")
            + &deployment("b", "front", 1, "")
            + &deployment("b", "back", 1, "")
            + &service("b", "back", "")
            + &behavior(
                "front",
                "app: front",
                "calls: [{to: \"http://back/x\"}, [{to: \"http://back\"}, {to: \"http://back.a\", probability: 0.5}]]",
            );
        let model = model(&text);
        let calls_from = |name: &str| {
            let workload = model.workload(name).unwrap();
            model.behaviors[model.workloads[workload.index()].behavior].calls.clone()
        };
        let names = |name: &str| -> Vec<Vec<String>> {
            let name_of = |to| match to {
                Target::Service { service, .. } => {
                    model.services[meshsim::cluster::ServiceId::index(service)].qualified_name()
                }
                Target::PodIp { .. } => "pod".to_owned(),
            };
            calls_from(name)
                .iter()
                .map(|step| step.iter().map(|c| name_of(c.to)).collect())
                .collect()
        };
        assert_eq!(names("a/front"), [vec!["a/back"], vec!["a/back", "a/back"]]);
        assert_eq!(names("b/front"), [vec!["b/back"], vec!["b/back", "a/back"]]);
        let assumed: Vec<_> =
            model.coverage.assumptions.iter().map(|assumption| &assumption.subject[..]).collect();
        assert_eq!(assumed, ["nodes", "a/back", "b/back"]);
    }

    #[test]
    fn the_behavior_with_more_labels_wins_and_an_unused_one_is_a_warning() {
        let behavior = |name: &str, selector: &str, time: &str| {
            format!(
                "---\napiVersion: meshsim/v1\nkind: Behavior\nmetadata: {{name: {name}}}\n\
                 spec: {{selector: {{{selector}}}, cpuTime: {time}}}\n"
            )
        };
        let text = pod("a", "v1", "app: web, version: v1", "", "")
            + &pod("a", "v2", "app: web, version: v2", "", "")
            + &behavior("v2", "app: web, version: v2", "2ms")
            + &behavior("web", "app: web", "1ms")
            + &behavior("lost", "app: lost", "1ms");
        let model = model(&text);
        let time = |name| {
            let workload = model.workload(name).unwrap();
            model.behaviors[model.workloads[workload.index()].behavior].cpu_time.mean_seconds()
        };
        assert!((time("v1") - 1e-3).abs() < 1e-12 && (time("v2") - 2e-3).abs() < 1e-12);
        assert_eq!(warnings(&model).len(), 1);
        assert_eq!(model.coverage.warnings[0].object, "Behavior/lost");
    }

    #[test]
    fn a_call_to_nobody_is_an_error_at_its_place() {
        let text = deployment("a", "web", 1, "")
            + "---\napiVersion: meshsim/v1\nkind: Behavior\nmetadata: {name: web}\n\
               spec:\n  selector: {app: web}\n  calls:\n  - {to: \"http://nobody\"}\n";
        let shown = problems(&text).to_string();
        assert!(
            shown.contains("spec.calls[0].to\n      is `http://nobody:80/`, but must name a Service of the model"),
            "{shown}"
        );
    }
}

mod coverage {
    use super::*;

    #[test]
    fn what_is_not_modelled_is_listed_with_its_consequence() {
        let text = deployment("a", "web", 1, "priorityClassName: high")
            + "---\napiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {name: web, namespace: a}\n\
               ---\napiVersion: v1\nkind: Secret\nmetadata: {name: key, namespace: a}\n\
               ---\napiVersion: example.org/v1\nkind: Widget\nmetadata: {name: w}\n";
        let coverage = model(&text).coverage;
        let kinds: Vec<_> =
            coverage.ignored_objects.iter().map(|kind| (kind.effect, &kind.kind[..])).collect();
        assert_eq!(
            kinds,
            [
                (Effect::Matters, "VirtualService"),
                (Effect::Unknown, "Widget"),
                (Effect::None, "Secret")
            ]
        );
        let field = &coverage.ignored_fields[0];
        assert_eq!(
            (field.effect, &field.path[..], field.objects),
            (Effect::Matters, "spec.template.spec.priorityClassName", 1)
        );
        assert!(!coverage.is_complete());

        let shown = coverage.to_string();
        assert!(shown.contains("Not modelled, and it matters\n  VirtualService"), "{shown}");
        let json = serde_json::to_value(&coverage).unwrap();
        assert_eq!(json["ignoredObjects"][0]["objects"][0], "a/web");
        assert_eq!(json["ignoredObjects"][0]["effect"], "matters");
    }

    #[test]
    fn all_faulty_fields_are_reported_at_once_and_nothing_is_built() {
        let text = deployment("a", "web", 1, "hostNetwork: perhaps")
            .replace("replicas: 1", "replicas: -1")
            + &service("a", "web", "").replace("port: 80,", "port: 80000,");
        let found = problems(&text);
        let sentences: Vec<_> = found.errors().map(|problem| problem.sentence()).collect();
        assert_eq!(sentences.len(), 3, "{sentences:?}");
    }
}

/// Files of real people; skipped where they are not at hand.
mod samples {
    use super::*;

    fn sample(path: &str) -> Option<Model> {
        let path = Path::new("../shared/inputs").join(path);
        if !path.exists() {
            eprintln!("skipped: {} is not at hand", path.display());
            return None;
        }
        let manifests = load_model(&path);
        Some(
            build(&manifests.objects, VariantOverrides::default())
                .unwrap_or_else(|p| panic!("{p}")),
        )
    }

    #[test]
    fn bookinfo_is_four_applications_and_six_workloads() {
        let Some(model) = sample("bookinfo/kube/bookinfo.yaml") else { return };
        assert_eq!(model.services.len(), 4);
        assert_eq!(model.workloads.len(), 6);
        assert!(model.pods.len() == 6 && warnings(&model).is_empty());
        let reviews = model.services.iter().find(|service| service.name == "reviews").unwrap();
        assert_eq!(reviews.endpoints.len(), 3);
    }

    #[test]
    fn online_boutique_fits_its_requests_on_the_assumed_nodes() {
        let Some(model) = sample("online-boutique/kubernetes-manifests.yaml") else { return };
        assert_eq!(model.workloads.len(), 12);
        assert_eq!(warnings(&model), [""; 0]);
        assert_eq!(model.services.len(), 12);
    }

    #[test]
    fn injected_samples_are_seen_as_injected() {
        for file in ["native-sidecar.injected.yaml", "hello-multi.injected.yaml"] {
            let Some(model) = sample(&format!("injected-and-rendered/{file}")) else { return };
            assert!(!model.enrolments.is_empty(), "{file}");
            for enrolment in &model.enrolments {
                assert_eq!(enrolment.data_plane, DataPlane::Sidecar, "{file}");
                assert_eq!(enrolment.concurrency, 2, "{file}");
            }
        }
    }

    #[test]
    fn ambient_samples_name_their_waypoints() {
        let Some(model) = sample("ambient-bookinfo") else { return };
        let names: Vec<_> = model.waypoints.iter().map(|waypoint| waypoint.name.as_str()).collect();
        assert!(
            names.contains(&"bookinfo-details") && names.contains(&"bookinfo-reviews"),
            "{names:?}"
        );
        let Some(model) = sample("ambient-bookinfo/kiali-waypoints/waypoint-fornone.yaml") else {
            return;
        };
        assert_eq!(model.workloads[0].role, Role::Waypoint, "a proxy for no traffic is one still");
        assert!(model.waypoints.is_empty(), "but nothing can be bound to it");
    }
}
