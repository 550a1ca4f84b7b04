//! What runs in pods and on nodes: applications, Envoys, ztunnels.

use std::collections::VecDeque;

use crate::cluster::Role;
use crate::engine::{Purpose, entity_id};
use crate::mesh::path::DataPlane;
use crate::scenario::Scenario;
use crate::simulation::connection::ABSENT;
use crate::simulation::process::{Account, PassCosts, Process, ProcessKind};
use crate::simulation::serving::AppPool;
use crate::simulation::stations::{Station, Thread};
use crate::simulation::world::MeshWorld;
use crate::units::SimTime;

impl MeshWorld<'_> {
    /// Adds what runs in pods, and a ztunnel per node if any pod is in ambient mode.
    pub(super) fn add_pods(&mut self) {
        for pod in 0..self.scenario.pods.len() as u32 {
            self.add_pod(pod);
        }
        let mut enrolments = self.scenario.enrolments.iter();
        if enrolments.any(|enrolment| enrolment.data_plane == DataPlane::Ambient) {
            self.add_ztunnels();
        }
    }

    /// Adds an application with its sidecar, if it has one, or a proxy that has a pod to itself.
    fn add_pod(&mut self, pod: u32) {
        let scenario = self.scenario;
        let costs = &scenario.costs;
        let app = match scenario.workload(scenario.pods[pod as usize].workload).role {
            Role::Application => self.add_app(pod),
            Role::Waypoint => {
                self.add_envoy(ProcessKind::Waypoint, pod, costs.waypoint_cpu);
                ABSENT
            }
            Role::Gateway => {
                self.add_envoy(ProcessKind::Gateway, pod, costs.gateway_cpu);
                ABSENT
            }
        };
        self.app_of_pod.push(app);
        let is_captured = scenario.enrolments[pod as usize].data_plane == DataPlane::Sidecar;
        if app != ABSENT && is_captured {
            let sidecar = self.add_envoy(ProcessKind::Sidecar, pod, costs.sidecar_outbound_cpu);
            self.processes[sidecar as usize].inbound_costs =
                PassCosts::envoy(costs.sidecar_inbound_cpu, costs);
        }
    }

    fn add_app(&mut self, pod: u32) -> u32 {
        let scenario = self.scenario;
        let found = &scenario.pods[pod as usize];
        let name = found.qualified_name();
        let entity = entity_id(&format!("app {name}"));
        let at = (ProcessKind::App, found.node.0, Some(pod));
        let process = self.add_process(at, name, 0, 0, PassCosts::default());
        let stream = |purpose| self.streams.stream(purpose, entity);
        self.apps[process as usize] = Some(AppPool {
            behavior: scenario.workload(found.workload).behavior,
            active: 0,
            waiting: VecDeque::new(),
            last_ran: SimTime::ZERO,
            time_rng: stream(Purpose::ServiceTime),
            behavior_rng: stream(Purpose::Behavior),
            calls: Vec::new(),
        });
        process
    }

    /// Adds the Envoy of `pod`, which burns `cpu_us` microseconds per HTTP request.
    fn add_envoy(&mut self, kind: ProcessKind, pod: u32, cpu_us: f64) -> u32 {
        let scenario = self.scenario;
        let found = &scenario.pods[pod as usize];
        let workers = scenario.enrolments[pod as usize].concurrency.max(1);
        let at = (kind, found.node.0, Some(pod));
        let costs = PassCosts::envoy(cpu_us, &scenario.costs);
        let process = self.add_process(at, found.qualified_name(), workers, 1, costs);
        self.envoy_of_pod[pod as usize] = Some(process);
        process
    }

    fn add_ztunnels(&mut self) {
        let costs = &self.scenario.costs;
        for (index, node) in self.scenario.nodes.iter().enumerate() {
            let name = format!("istio-system/ztunnel-{}", node.name);
            let at = (ProcessKind::Ztunnel, index as u32, None);
            let threads = costs.ztunnel_workers as u32;
            let process = self.add_process(at, name, 1, threads, PassCosts::ztunnel(costs));
            self.ztunnel_of_node[index] = process;
        }
    }

    /// Adds a process of `stations` queues with `threads` each.
    pub(super) fn add_process(
        &mut self,
        (kind, node, pod): (ProcessKind, u32, Option<u32>),
        name: String,
        stations: u32,
        threads: u32,
        costs: PassCosts,
    ) -> u32 {
        let process = self.processes.len() as u32;
        let first_station = self.add_stations(process, stations, threads);
        let entity = entity_id(&format!("{kind:?} {name}"));
        let stream = |purpose| self.streams.stream(purpose, entity);
        self.processes.push(Process {
            kind,
            name,
            node,
            pod,
            first_station,
            station_count: stations,
            thread_count: stations * threads,
            costs,
            inbound_costs: costs,
            idle_millicores: idle_millicores(kind, self.scenario),
            account: Account::default(),
            work_rng: stream(Purpose::ServiceTime),
            network_rng: stream(Purpose::NetworkDelay),
            wake_rng: stream(Purpose::WakeUp),
            accept_rng: stream(Purpose::ConnectionBalance),
            tunnels_accepted: vec![0; stations as usize],
        });
        self.apps.push(None);
        process
    }

    /// Adds the queues of `process`; returns the first.
    fn add_stations(&mut self, process: u32, stations: u32, threads: u32) -> u32 {
        let first = self.stations.len() as u32;
        for station in first..first + stations {
            self.stations.push(Station::new(process, self.threads.len() as u32, threads));
            let idle =
                Thread { station, free_at: SimTime::ZERO, current: None, release_is_due: false };
            self.threads.extend((0..threads).map(|_| idle));
        }
        first
    }
}

fn idle_millicores(kind: ProcessKind, scenario: &Scenario) -> f64 {
    let costs = &scenario.costs;
    match kind {
        ProcessKind::Sidecar => costs.sidecar_idle_cpu,
        ProcessKind::Ztunnel => costs.ztunnel_idle_cpu,
        ProcessKind::Waypoint | ProcessKind::Gateway => costs.waypoint_idle_cpu,
        ProcessKind::App | ProcessKind::Client => 0.0,
    }
}
