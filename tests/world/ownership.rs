//! Objects that speak of the same pods count once.

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

#[test]
fn running_pods_tell_what_injection_made_of_a_template_that_does_not() {
    let injected = running("web-5d8-a", "n1", "Running").replace(
        "containers: [{name: app}]",
        "initContainers: [{name: istio-proxy, restartPolicy: Always}], containers: [{name: app}]",
    );
    let model = model(&(deployment("x", "web", 2, "") + OWNED + &injected));
    assert_eq!(data_plane_of(&model, "web"), DataPlane::Sidecar);

    let redirected = running("web-5d8-a", "n1", "Running").replace(
        "  ownerReferences",
        "  annotations: {ambient.istio.io/redirection: enabled}\n  ownerReferences",
    );
    let model = super::model(&(deployment("x", "web", 2, "") + OWNED + &redirected));
    assert_eq!(data_plane_of(&model, "web"), DataPlane::Ambient);
}
