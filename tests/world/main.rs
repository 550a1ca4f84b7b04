//! Claims about what manifests become: workloads, placement, data planes, waypoints, services.

mod calls;
mod coverage;
mod echo;
mod injection;
mod ownership;
mod placement;
mod robustness;
mod samples;
mod services;
mod waypoints;

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
