//! The question that a pod and what it dials put to the path table.

use crate::cluster::{PodId, ServiceId, ServicePort, WorkloadId};
use crate::mesh::path::{Addressed, Client, DataPlane, Gateway, GatewayListener, PathQuery};
use crate::mesh::protocol::{PortDeclaration, Protocol};
use crate::scenario::Scenario;
use crate::workload::Target;

/// The waypoint that handles what `to` addresses, if one is bound to it.
pub(crate) fn bound_waypoint(scenario: &Scenario, to: &Target) -> Option<usize> {
    match *to {
        Target::Service { service, .. } => scenario.waypoint_of_service[service.index()],
        Target::PodIp { pod, .. } => scenario.waypoint_of_pod[pod.index()],
    }
}

/// The question to the path table for `pod` (or a client outside) dialling `to`: of the endpoints
/// of a Service about the first. `via` is the gateway in between, if any.
pub fn path_query(
    scenario: &Scenario,
    pod: Option<PodId>,
    to: &Target,
    via: Option<WorkloadId>,
) -> PathQuery {
    let plane = |pod: PodId| scenario.enrolments[pod.index()].data_plane;
    let client = pod.map_or(Client::External, |pod| Client::Pod(plane(pod)));
    let (addressed, server, protocol, port) = match *to {
        Target::Service { service, port } => {
            let endpoint = scenario.service(service).endpoints.first().copied();
            let number = scenario.service(service).ports.get(port).map_or(0, |port| port.port);
            (Addressed::Service, endpoint, service_protocol(scenario, service, port), number)
        }
        Target::PodIp { pod, port } => {
            (Addressed::PodIp, Some(pod), pod_protocol(scenario, pod, port), port)
        }
    };
    let waypoint = bound_waypoint(scenario, to).map(|at| scenario.waypoints[at].waypoint_for);
    let query = PathQuery {
        waypoint,
        gateway: via.map(|via| gateway_in_between(scenario, pod, to, via)),
        protocol,
        http_service_on_port: scenario
            .services
            .iter()
            .any(|service| service.ports.iter().any(|p| p.port == port && declared(p).is_http())),
        ..PathQuery::new(client, DataPlane::None, addressed)
    };
    match server {
        Some(pod) => query.to_server(&scenario.enrolments[pod.index()]),
        None => query,
    }
}

/// The gateway `via` as it is reached from `pod`, or from outside.
///
/// Listeners are not read from manifests: a client outside is taken to meet TLS, a sidecar Istio
/// mutual TLS, every other pod plaintext.
fn gateway_in_between(
    scenario: &Scenario,
    pod: Option<PodId>,
    to: &Target,
    via: WorkloadId,
) -> Gateway {
    let first = scenario.workload(via).pods.first();
    let accepts_hbone = first.is_some_and(|pod| scenario.enrolments[pod.index()].hbone);
    let use_waypoint = match *to {
        Target::Service { service, .. } => scenario.ingress_use_waypoint[service.index()],
        Target::PodIp { .. } => false,
    };
    let from_sidecar =
        pod.is_some_and(|pod| scenario.enrolments[pod.index()].data_plane == DataPlane::Sidecar);
    let listener = match (pod, from_sidecar) {
        (None, _) => GatewayListener::Tls,
        (Some(_), true) => GatewayListener::IstioMutual,
        (Some(_), false) => GatewayListener::Http,
    };
    Gateway { accepts_hbone, use_waypoint, ..Gateway::new(listener) }
}

fn declared(port: &ServicePort) -> Protocol {
    PortDeclaration::from(port).protocol()
}

fn service_protocol(scenario: &Scenario, service: ServiceId, port: usize) -> Protocol {
    scenario.service(service).ports.get(port).map_or(Protocol::Auto, declared)
}

/// What a pod's port speaks, as told by the first Service that leads to it.
fn pod_protocol(scenario: &Scenario, pod: PodId, port: u16) -> Protocol {
    let services = scenario.services.iter().filter(|service| service.endpoints.contains(&pod));
    let mut ports = services.flat_map(|service| &service.ports);
    ports.find(|p| p.target_port == port).map_or(Protocol::Auto, declared)
}
