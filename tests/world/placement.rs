//! Nodes, and which pods run where.

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

#[test]
fn a_models_own_ztunnel_takes_room_but_is_no_workload() {
    let ztunnel = "---\napiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: ztunnel, namespace: istio-system}\n\
        spec:\n  template:\n    metadata: {labels: {app: ztunnel}}\n    \
        spec: {containers: [{name: istio-proxy, resources: {requests: {cpu: 2}}}]}\n";
    let web = deployment("x", "web", 99, "").replace(
        "{name: app, ports: [{name: web, containerPort: 8080}]}",
        "{name: app, resources: {requests: {cpu: 900m}}}",
    );
    let model = variant(&(ztunnel.to_owned() + &web), with(DataPlaneSpec::Ambient));
    // 4 cores less 2 for ztunnel and 0.1 for the CNI agent.
    assert_eq!(nodes_of(&model, "web").len(), 3 * 2);
    assert_eq!(model.workloads.len(), 1);
    assert!(model.coverage.assumptions.iter().all(|a| !a.assumed.contains("ztunnel")));
}

#[test]
fn two_clusters_in_one_model_are_an_error() {
    let second = POOLS.replace("kind: Cluster\n", "kind: Cluster\nmetadata: {name: other}\n");
    let shown = problems(&(POOLS.to_owned() + &second)).to_string();
    assert!(shown.contains("is a second Cluster; the first stands at test.yaml:2:1"), "{shown}");
}

#[test]
fn the_cluster_says_how_kube_proxy_chooses() {
    let model = model(&POOLS.replace("spec:\n", "spec:\n  kubeProxy: {mode: ipvs}\n"));
    assert_eq!(model.kube_proxy, meshsim::cluster::kube_proxy::KubeProxyMode::Ipvs);
}
