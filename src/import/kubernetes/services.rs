//! Services: the names clients dial, and the pods behind them.

use std::collections::BTreeMap;

use super::api::{IntOrString, PodSpec, ServicePort as WrittenPort};
use super::gateways::{Gateways, GeneratedService};
use super::inventory::{Inventory, Notes, Sourced};
use super::plan::{GATEWAY_NAME, Planned};
use crate::cluster::ServicePort;
use crate::cluster::selector::Selector;
use crate::import::manifests::Object;
use crate::scenario::problem::Problem;

/// A Service, its pods not yet placed.
#[derive(Clone, Debug)]
pub(super) struct PlannedService<'o> {
    /// The object it comes from; none if istiod makes it for a Gateway.
    pub(super) object: Option<&'o Object>,
    pub(super) name: String,
    pub(super) namespace: String,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) selector: Selector,
    /// The Gateway whose pods it selects, if it is one's.
    pub(super) gateway: Option<String>,
    pub(super) ports: Vec<ServicePort>,
    pub(super) is_headless: bool,
    /// Positions of the workloads whose pods it selects.
    pub(super) workloads: Vec<usize>,
    /// Position of the waypoint it is bound to.
    pub(super) waypoint: Option<usize>,
    /// Whether gateways send its requests through that waypoint.
    pub(super) ingress_use_waypoint: bool,
}

/// The Services of the model and of its gateways, with the workloads they select.
pub(super) fn services<'o>(
    inventory: &mut Inventory<'o>,
    gateways: &Gateways,
    workloads: &[Planned<'_>],
) -> Vec<PlannedService<'o>> {
    let Inventory { services, notes, .. } = inventory;
    let pods = Pods::of(workloads);
    let written = services.iter().filter_map(|service| from_object(service, &pods, notes));
    let mut planned: Vec<_> = written.collect();
    planned.extend(gateways.services.iter().map(|service| of_gateway(service, &pods)));
    planned
}

/// Labels, sorted by key.
type Labels = Vec<(String, String)>;

/// The pods of all workloads, to be selected by labels.
struct Pods<'a> {
    workloads: &'a [Planned<'a>],
    /// Position and labels of the workloads of each namespace.
    by_namespace: BTreeMap<&'a str, Vec<(usize, Labels)>>,
}

impl<'a> Pods<'a> {
    fn of(workloads: &'a [Planned<'a>]) -> Self {
        let mut by_namespace: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (index, workload) in workloads.iter().enumerate() {
            let labelled = (index, workload.labels());
            by_namespace.entry(workload.namespace.as_str()).or_default().push(labelled);
        }
        Self { workloads, by_namespace }
    }

    /// Positions of the workloads whose pods are selected.
    fn selected_by(&self, selector: &Selector, namespace: &str) -> Vec<usize> {
        let candidates = self.by_namespace.get(namespace).map_or(&[][..], Vec::as_slice);
        let selected = candidates.iter().filter(|(_, labels)| selector.matches(labels));
        selected.map(|(index, _)| *index).collect()
    }
}

fn from_object<'o>(
    Sourced { object, value }: &Sourced<'o, super::api::Service>,
    pods: &Pods<'_>,
    notes: &mut Notes,
) -> Option<PlannedService<'o>> {
    let spec = &value.spec;
    if spec.service_type.as_deref() == Some("ExternalName") || spec.external_name.is_some() {
        notes.reject(object, "ExternalName: another name for a host outside the model");
        return None;
    }
    if spec.selector.is_empty() {
        notes.reject(object, "without selector: its endpoints are not in the model");
        return None;
    }
    let mut service = PlannedService {
        object: Some(object),
        name: object.name.clone(),
        namespace: value.metadata.namespace().to_owned(),
        labels: value.metadata.labels.clone(),
        selector: Selector::of_labels(&spec.selector),
        gateway: spec.selector.get(GATEWAY_NAME).cloned(),
        ports: Vec::new(),
        is_headless: spec.cluster_ip.as_deref() == Some("None"),
        workloads: Vec::new(),
        waypoint: None,
        ingress_use_waypoint: false,
    };
    service.workloads = pods.selected_by(&service.selector, &service.namespace);
    if service.workloads.is_empty() {
        let problem = Problem::statement("spec.selector", "selects no pods: calls are refused");
        notes.problems.push(object.locate(problem.warning()));
    }
    service.add_ports(object, &spec.ports, pods.workloads, notes);
    Some(service)
}

fn of_gateway<'o>(generated: &GeneratedService, pods: &Pods<'_>) -> PlannedService<'o> {
    let port = |(name, port, protocol): &(String, u16, String)| ServicePort {
        name: name.clone(),
        port: *port,
        target_port: *port,
        app_protocol: Some(protocol.clone()),
    };
    let selector = BTreeMap::from([(GATEWAY_NAME.to_owned(), generated.gateway.clone())]);
    let mut service = PlannedService {
        object: None,
        name: generated.name.clone(),
        namespace: generated.namespace.clone(),
        labels: BTreeMap::new(),
        selector: Selector::of_labels(&selector),
        gateway: Some(generated.gateway.clone()),
        ports: generated.ports.iter().map(port).collect(),
        is_headless: false,
        workloads: Vec::new(),
        waypoint: None,
        ingress_use_waypoint: false,
    };
    service.workloads = pods.selected_by(&service.selector, &service.namespace);
    service
}

impl PlannedService<'_> {
    fn add_ports(
        &mut self,
        object: &Object,
        written: &[WrittenPort],
        workloads: &[Planned<'_>],
        notes: &mut Notes,
    ) {
        for (index, port) in written.iter().enumerate() {
            if port.protocol.as_deref().is_some_and(|protocol| protocol != "TCP") {
                continue;
            }
            let pods = self.workloads.iter().map(|&workload| &workloads[workload].template.spec);
            match target_port(port, pods) {
                Ok(target_port) => self.ports.push(ServicePort {
                    name: port.name.clone(),
                    port: port.port,
                    target_port,
                    app_protocol: port.app_protocol.clone(),
                }),
                Err(name) => {
                    let path = format!("spec.ports[{index}].targetPort");
                    let rule = "the name of a port of the selected pods; calls to it are refused";
                    let problem = Problem::violation(path, format!("`{name}`"), rule).warning();
                    notes.problems.push(object.locate(problem));
                }
            }
        }
    }
}

/// The port that pods listen on: by number, by name, or the Service's own.
fn target_port<'a>(
    port: &'a WrittenPort,
    pods: impl Iterator<Item = &'a PodSpec>,
) -> Result<u16, &'a str> {
    let name = match &port.target_port {
        None => return Ok(port.port),
        Some(IntOrString::Int(number)) => return Ok(*number),
        Some(IntOrString::String(name)) => name.as_str(),
    };
    let mut ports = pods.flat_map(|spec| {
        spec.containers.iter().chain(&spec.init_containers).flat_map(|c| &c.ports)
    });
    ports.find(|port| port.name == name).map(|port| port.container_port).ok_or(name)
}
