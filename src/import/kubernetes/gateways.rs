//! Gateway API gateways of Istio: the waypoint and gateway pods that istiod makes for them.
//!
//! Source: istio/istio 1.31, `pilot/pkg/config/kube/gateway/deploymentcontroller.go` (names,
//! ports, the ConfigMap with changes), `files/waypoint.yaml` and `files/kube-gateway.yaml` (what
//! is made), `pilot/pkg/serviceregistry/ambient/waypoints.go` (the traffic a waypoint is for).

use std::collections::BTreeMap;

use super::api::{
    Container, Controller, FromNamespaces, Gateway, HorizontalPodAutoscaler, Listener, ObjectMeta,
    PodSpec, PodTemplate,
};
use super::data_plane::chart_resources;
use super::inventory::{Inventory, Namespaces, Sourced};
use super::plan::{GATEWAY_NAME, ISTIO_PROXY, Plan, Planned};
use crate::cluster::Role;
use crate::cluster::selector::Selector;
use crate::import::manifests::Object;
use crate::import::yaml::{self, read_value};
use crate::mesh::path::WaypointFor;
use crate::scenario::problem::{Problem, Problems, SourceFile};

const WAYPOINT_FOR: &str = "istio.io/waypoint-for";
/// The class of gateways and of waypoints that Istio always installs.
const CLASSES: [(&str, Role); 2] = [("istio", Role::Gateway), ("istio-waypoint", Role::Waypoint)];
/// Controllers behind classes of other names.
const CONTROLLERS: [(&str, Role); 2] =
    [("istio.io/gateway-controller", Role::Gateway), ("istio.io/mesh-controller", Role::Waypoint)];
/// The port of every proxy's health check, which its Service has too.
const STATUS_PORT: u16 = 15021;
/// The port on which waypoints take HBONE.
pub(super) const HBONE_PORT: u16 = 15008;

/// Which namespaces may use a waypoint.
#[derive(Clone, Debug)]
pub(super) enum Admission {
    All,
    Own,
    Selected(Selector),
    Nobody,
}

/// A waypoint, its workload not yet placed.
#[derive(Clone, Debug)]
pub(super) struct PlannedWaypoint {
    pub(super) name: String,
    pub(super) namespace: String,
    /// Nothing if the label says `none`.
    pub(super) waypoint_for: Option<WaypointFor>,
    pub(super) admission: Admission,
    /// Position in the plan's workloads.
    pub(super) workload: usize,
}

/// A Service that istiod makes for a Gateway.
#[derive(Clone, Debug)]
pub(super) struct GeneratedService {
    pub(super) name: String,
    pub(super) namespace: String,
    /// Name, number and protocol.
    pub(super) ports: Vec<(String, u16, String)>,
    /// The Gateway whose pods it selects.
    pub(super) gateway: String,
}

/// What comes of the gateways.
#[derive(Clone, Debug, Default)]
pub(super) struct Gateways {
    pub(super) waypoints: Vec<PlannedWaypoint>,
    pub(super) services: Vec<GeneratedService>,
}

/// Adds the proxies of the model's gateways to `plan`.
pub(super) fn add_gateways<'o>(inventory: &mut Inventory<'o>, plan: &mut Plan<'o>) -> Gateways {
    let mut gateways = Gateways::default();
    let written = std::mem::take(&mut inventory.gateways);
    for gateway in &written {
        let Some(role) = role_of_class(&gateway.value.spec.gateway_class_name, inventory) else {
            let problem = unknown_class(gateway);
            inventory.notes.problems.push(problem);
            continue;
        };
        if is_manual(&gateway.value) {
            continue;
        }
        let name = deployment_name(gateway, role);
        let workload = workload_of(gateway, role, &name, inventory, plan);
        gateways.add_service(gateway, name, inventory);
        if role == Role::Waypoint {
            let waypoint = waypoint_of(gateway, workload, inventory);
            gateways.waypoints.push(waypoint);
        }
    }
    inventory.gateways = written;
    gateways
}

fn role_of_class(class: &str, inventory: &Inventory<'_>) -> Option<Role> {
    let named = CLASSES.iter().find(|(name, _)| *name == class).map(|(_, role)| *role);
    named.or_else(|| {
        let object = inventory.gateway_classes.iter().find(|other| other.object.name == class)?;
        let controller = &object.value.spec.controller_name;
        CONTROLLERS.iter().find(|(name, _)| name == controller).map(|(_, role)| *role)
    })
}

fn unknown_class(gateway: &Sourced<'_, Gateway>) -> Problem {
    let class = &gateway.value.spec.gateway_class_name;
    let sentence =
        format!("`{class}` is no class of Istio's that is modelled; it gets no pods here");
    gateway.object.locate(Problem::statement("spec.gatewayClassName", sentence).warning())
}

/// Whether the gateway points at a Service that someone else made.
fn is_manual(gateway: &Gateway) -> bool {
    gateway.spec.addresses.iter().any(|address| address.kind == "Hostname")
}

/// istiod appends the class, except for waypoints.
fn deployment_name(gateway: &Sourced<'_, Gateway>, role: Role) -> String {
    match role {
        Role::Waypoint => gateway.object.name.clone(),
        _ => format!("{}-{}", gateway.object.name, gateway.value.spec.gateway_class_name),
    }
}

/// The workload of a gateway: a Deployment of the model, or one as istiod makes it.
fn workload_of<'o>(
    gateway: &Sourced<'o, Gateway>,
    role: Role,
    name: &str,
    inventory: &mut Inventory<'o>,
    plan: &mut Plan<'o>,
) -> usize {
    let namespace = gateway.value.metadata.namespace();
    let is_its_own = |workload: &Planned<'_>| {
        workload.namespace == namespace
            && workload.gateway_name() == Some(gateway.object.name.as_str())
    };
    if let Some(existing) = plan.workloads.iter().position(is_its_own) {
        plan.workloads[existing].role = role;
        return existing;
    }
    let changes = Changes::of(gateway, inventory);
    let mut template = template_of(&gateway.value, &gateway.object.name, name, role);
    changes.apply(&mut template);
    let replicas = changes.replicas().unwrap_or(1);
    let object = Some(gateway.object);
    let name = name.to_owned();
    plan.add(Planned::of_gateway(object, name, namespace, role, replicas, template));
    plan.workloads.len() - 1
}

/// The pod template that istiod makes for a gateway.
fn template_of(gateway: &Gateway, gateway_name: &str, name: &str, role: Role) -> PodTemplate {
    // Without `infrastructure` the gateway's own labels and annotations are passed on.
    let infrastructure = &gateway.spec.infrastructure;
    let metadata = &gateway.metadata;
    let (labels, annotations) = match infrastructure {
        Some(given) => (&given.labels, &given.annotations),
        None => (&metadata.labels, &metadata.annotations),
    };
    proxy_template(labels.clone(), annotations.clone(), gateway_name, name, role)
}

/// The pod template of a proxy called `name` for the Gateway `gateway_name`.
pub(super) fn proxy_template(
    labels: BTreeMap<String, String>,
    annotations: BTreeMap<String, String>,
    gateway_name: &str,
    name: &str,
    role: Role,
) -> PodTemplate {
    let mut metadata = ObjectMeta { labels, annotations, ..ObjectMeta::default() };
    let mut add = |key: &str, value: &str| metadata.labels.insert(key.to_owned(), value.to_owned());
    add(GATEWAY_NAME, gateway_name);
    add("sidecar.istio.io/inject", "false");
    if role == Role::Waypoint {
        add("istio.io/dataplane-mode", "none");
    }
    let proxy = Container {
        name: ISTIO_PROXY.to_owned(),
        resources: chart_resources(),
        ..Container::default()
    };
    let spec = PodSpec {
        containers: vec![proxy],
        service_account_name: Some(name.to_owned()),
        ..PodSpec::default()
    };
    PodTemplate { metadata, spec }
}

/// What `infrastructure.parametersRef` changes about the Deployment that istiod makes.
#[derive(Default)]
struct Changes {
    deployment: Option<Controller>,
    autoscaler: Option<HorizontalPodAutoscaler>,
}

impl Changes {
    fn of(gateway: &Sourced<'_, Gateway>, inventory: &mut Inventory<'_>) -> Self {
        let reference =
            gateway.value.spec.infrastructure.as_ref().and_then(|i| i.parameters_ref.as_ref());
        let Some(reference) = reference else { return Self::default() };
        let namespace = gateway.value.metadata.namespace();
        let is_config_map = reference.group.is_empty() && reference.kind == "ConfigMap";
        let config_map =
            is_config_map.then(|| inventory.use_config_map(namespace, &reference.name));
        let Some(config_map) = config_map.flatten() else {
            let path = "spec.infrastructure.parametersRef";
            let sentence = format!("names no ConfigMap of `{namespace}`; nothing is changed by it");
            let problem = gateway.object.locate(Problem::statement(path, sentence).warning());
            inventory.notes.problems.push(problem);
            return Self::default();
        };
        let problems = &mut inventory.notes.problems;
        Self {
            deployment: read_embedded(config_map, "deployment", problems),
            autoscaler: read_embedded(config_map, "horizontalPodAutoscaler", problems),
        }
    }

    fn replicas(&self) -> Option<u32> {
        let deployment = self.deployment.as_ref().and_then(|deployment| deployment.spec.replicas);
        deployment.or_else(|| self.autoscaler.as_ref()?.spec.min_replicas)
    }

    /// A strategic merge of the fields that matter.
    fn apply(&self, template: &mut PodTemplate) {
        let Some(deployment) = &self.deployment else { return };
        let PodTemplate { metadata, spec } = deployment.spec.template.clone();
        template.metadata.labels.extend(metadata.labels);
        template.metadata.annotations.extend(metadata.annotations);
        template.spec.node_selector.extend(spec.node_selector);
        template.spec.tolerations.extend(spec.tolerations);
        template.spec.topology_spread_constraints.extend(spec.topology_spread_constraints);
        template.spec.affinity = spec.affinity;
        template.spec.node_name = spec.node_name;
        let changed = spec.containers.into_iter().find(|c| c.name == ISTIO_PROXY);
        if let (Some(changed), Some(proxy)) = (changed, template.spec.containers.first_mut()) {
            proxy.resources.requests.extend(changed.resources.requests);
            proxy.resources.limits.extend(changed.resources.limits);
        }
    }
}

/// The object that stands as text under `data.KEY` of a ConfigMap.
fn read_embedded<T: serde::de::DeserializeOwned>(
    config_map: &Object,
    key: &str,
    problems: &mut Problems,
) -> Option<T> {
    let text = config_map.node.get_in(&["data", key])?.text()?;
    let file = SourceFile::new(format!("{} data.{key}", config_map.label()), text);
    let parsed = yaml::parse(&file);
    problems.extend(parsed.problems);
    read_value(parsed.documents.first()?).unload(problems)
}

fn waypoint_of(
    gateway: &Sourced<'_, Gateway>,
    workload: usize,
    inventory: &mut Inventory<'_>,
) -> PlannedWaypoint {
    PlannedWaypoint {
        name: gateway.object.name.clone(),
        namespace: gateway.value.metadata.namespace().to_owned(),
        waypoint_for: waypoint_for(gateway, inventory),
        admission: admission(&gateway.value.spec.listeners),
        workload,
    }
}

/// The label on the gateway, else on its class, else services.
fn waypoint_for(
    gateway: &Sourced<'_, Gateway>,
    inventory: &mut Inventory<'_>,
) -> Option<WaypointFor> {
    let class = &gateway.value.spec.gateway_class_name;
    let class = inventory.gateway_classes.iter().find(|other| other.object.name == *class);
    let of_class = class.and_then(|class| class.value.metadata.label(WAYPOINT_FOR));
    let label = gateway.value.metadata.label(WAYPOINT_FOR).or(of_class);
    match label.unwrap_or("service") {
        "service" => Some(WaypointFor::Service),
        "workload" => Some(WaypointFor::Workload),
        "all" => Some(WaypointFor::All),
        "none" => None,
        other => {
            let rule = "`service`, `workload`, `all` or `none`; nothing will go through it";
            let path = format!("metadata.labels[\"{WAYPOINT_FOR}\"]");
            let problem = Problem::violation(path, format!("`{other}`"), rule).warning();
            inventory.notes.problems.push(gateway.object.locate(problem));
            None
        }
    }
}

/// Who may attach to the HBONE listener, or to the first one.
fn admission(listeners: &[Listener]) -> Admission {
    let hbone = listeners.iter().find(|listener| listener.protocol == "HBONE");
    let Some(listener) = hbone.or_else(|| listeners.first()) else { return Admission::Own };
    let namespaces = &listener.allowed_routes.namespaces;
    match namespaces.from {
        FromNamespaces::All => Admission::All,
        FromNamespaces::Same => Admission::Own,
        FromNamespaces::Selector => match &namespaces.selector {
            Some(selector) => Admission::Selected(Selector::from(selector)),
            None => Admission::Nobody,
        },
        FromNamespaces::None => Admission::Nobody,
    }
}

impl PlannedWaypoint {
    /// Whether objects of `namespace` may be bound to it.
    pub(super) fn admits(&self, namespace: &str, namespaces: &Namespaces) -> bool {
        match &self.admission {
            Admission::All => true,
            Admission::Own => self.namespace == namespace,
            Admission::Selected(selector) => {
                selector.matches(&namespace_labels(namespace, namespaces))
            }
            Admission::Nobody => false,
        }
    }
}

/// The labels of a namespace with the one that the API server adds.
pub(super) fn namespace_labels(name: &str, namespaces: &Namespaces) -> Vec<(String, String)> {
    let written = namespaces.get(name).map(|metadata| metadata.labels.clone());
    let mut labels = written.unwrap_or_default();
    labels.insert("kubernetes.io/metadata.name".to_owned(), name.to_owned());
    labels.into_iter().collect()
}

impl Gateways {
    fn add_service(
        &mut self,
        gateway: &Sourced<'_, Gateway>,
        name: String,
        inventory: &Inventory<'_>,
    ) {
        let namespace = gateway.value.metadata.namespace();
        let is_there = inventory.services.iter().any(|service| {
            service.object.name == name && service.value.metadata.namespace() == namespace
        });
        if is_there {
            return;
        }
        let mut ports = vec![("status-port".to_owned(), STATUS_PORT, "tcp".to_owned())];
        for listener in &gateway.value.spec.listeners {
            if ports.iter().all(|(_, port, _)| *port != listener.port) {
                let protocol = listener.protocol.to_ascii_lowercase();
                ports.push((listener.name.clone(), listener.port, protocol));
            }
        }
        self.services.push(GeneratedService {
            name,
            namespace: namespace.to_owned(),
            ports,
            gateway: gateway.object.name.clone(),
        });
    }
}
