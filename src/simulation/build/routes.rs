//! Routes, compiled from the path table, and the targets they choose among.

use super::OWN_POD;
use crate::cluster::{PodId, WorkloadId};
use crate::mesh::path::{PathQuery, lookup};
use crate::simulation::path_query::{bound_waypoint, path_query};
use crate::simulation::route::{Capture, Route, RouteTargets, compile};
use crate::simulation::world::{MeshWorld, Target};
use crate::workload::Target as Dialled;

impl MeshWorld<'_> {
    /// Adds the way from `pod` (or from outside), through the gateway `via` if there is one, to
    /// what it dials, and to those of its endpoints that the mesh captures otherwise than the first.
    pub(super) fn add_route(
        &mut self,
        pod: Option<PodId>,
        to: &Dialled,
        via: Option<WorkloadId>,
    ) -> u32 {
        let targets = RouteTargets {
            gateway: self.gateway_target(via),
            waypoint: self.waypoint_target(to),
            server: self.server_target(to),
            own_pod: OWN_POD,
        };
        let query = path_query(self.scenario, pod, to, via);
        let route = self.compile_route(pod, to, &query, &targets);
        for (capture, server) in self.captured_otherwise(to) {
            let query = query.to_server(&self.scenario.enrolments[server.index()]);
            let other = self.compile_route(pod, to, &query, &targets);
            self.routes[route as usize].others.push((capture, other));
        }
        route
    }

    fn compile_route(
        &mut self,
        pod: Option<PodId>,
        to: &Dialled,
        query: &PathQuery,
        targets: &RouteTargets,
    ) -> u32 {
        self.routes.push(Route {
            source_pod: pod.map(|pod| pod.0),
            addressed_pod: match to {
                Dialled::PodIp { pod, .. } => Some(pod.0),
                Dialled::Service { .. } => None,
            },
            stages: compile(&lookup(query), targets),
            others: Vec::new(),
        });
        self.routes.len() as u32 - 1
    }

    /// An endpoint of each kind of capture but that of the first.
    fn captured_otherwise(&self, to: &Dialled) -> Vec<(Capture, PodId)> {
        let Dialled::Service { service, .. } = *to else { return Vec::new() };
        let mut found: Vec<(Capture, PodId)> = Vec::new();
        for &pod in &self.scenario.service(service).endpoints {
            let capture = Capture::of(&self.scenario.enrolments[pod.index()]);
            if found.iter().all(|(known, _)| *known != capture) {
                found.push((capture, pod));
            }
        }
        found.split_off(found.len().min(1))
    }

    /// The target called `name`, which stands for `pods`.
    fn target(&mut self, name: String, pods: &[PodId]) -> u32 {
        if let Some(known) = self.targets.iter().position(|target| target.name == name) {
            return known as u32;
        }
        let pods = pods.iter().map(|pod| pod.0).collect();
        self.targets.push(Target { name, pods, is_own_pod: false });
        self.targets.len() as u32 - 1
    }

    fn server_target(&mut self, to: &Dialled) -> u32 {
        let scenario = self.scenario;
        match *to {
            Dialled::Service { service, port } => {
                let service = scenario.service(service);
                let port = service.ports.get(port).map_or(0, |port| port.port);
                let name = format!("service {}:{port}", service.qualified_name());
                self.target(name, &service.endpoints)
            }
            Dialled::PodIp { pod, .. } => {
                self.target(format!("pod {}", scenario.pod(pod).qualified_name()), &[pod])
            }
        }
    }

    fn waypoint_target(&mut self, to: &Dialled) -> u32 {
        let scenario = self.scenario;
        let Some(waypoint) = bound_waypoint(scenario, to) else { return OWN_POD };
        let waypoint = &scenario.waypoints[waypoint];
        let name = format!("waypoint {}", waypoint.qualified_name());
        self.target(name, &scenario.workload(waypoint.workload).pods)
    }

    fn gateway_target(&mut self, via: Option<WorkloadId>) -> u32 {
        let Some(via) = via else { return OWN_POD };
        let gateway = self.scenario.workload(via);
        self.target(format!("gateway {}", gateway.qualified_name()), &gateway.pods)
    }
}
