//! Builds the world of a run from a checked scenario.

use std::collections::{BTreeMap, VecDeque};

use crate::cluster::{PodId, Role, ServiceId};
use crate::engine::{Purpose, RandomStreams, Schedule, Slab, entity_id};
use crate::mesh::path::{
    Addressed, Client, DataPlane, Gateway, GatewayListener, PathQuery, lookup,
};
use crate::mesh::protocol::{PortDeclaration, Protocol, Transport};
use crate::scenario::Scenario;
use crate::units::{SimDuration, SimTime};
use crate::workload::{Arrivals, Target as Dialled};

use super::audit::Audit;
use super::clients::{ClientSlot, Generator};
use super::connection::{ABSENT, NO_STATION, Pool};
use super::cpu::{NodeCores, WakeUp};
use super::event::Event;
use super::observer::Observer;
use super::process::{Account, PassCosts, Process, ProcessKind, Spread};
use super::route::{Route, RouteTargets, compile};
use super::serving::{AppPool, CallPlan};
use super::stations::{Station, Thread};
use super::world::{Delays, Edge, MeshWorld, Target};

/// Cores of the machine that stands for everything outside the cluster.
const OUTSIDE_CORES: u32 = 64;

/// The target that stands for a sidecar's own application.
const OWN_POD: u32 = 0;

impl<'a> MeshWorld<'a> {
    /// The world of one run, with everything scheduled that starts it.
    pub(crate) fn build(
        scenario: &'a Scenario,
        streams: RandomStreams,
        window: SimDuration,
        schedule: &mut Schedule<Event>,
    ) -> Self {
        let starts_at = SimTime::ZERO + scenario.warm_up;
        let ends_at = starts_at + scenario.duration;
        let outside = scenario.nodes.len();
        let cores = scenario.nodes.iter().map(|node| NodeCores::new(node.cores));
        let stalls = scenario
            .nodes
            .iter()
            .map(|node| streams.stream(Purpose::NodeStall, entity_id(&node.name)));
        let mut world = Self {
            scenario,
            kube_proxy: scenario.kube_proxy,
            delays: delays(scenario),
            cores: cores.chain([NodeCores::new(OUTSIDE_CORES)]).collect(),
            stalls: stalls.collect(),
            processes: Vec::new(),
            stations: Vec::new(),
            threads: Vec::new(),
            apps: Vec::new(),
            app_of_pod: Vec::new(),
            envoy_of_pod: vec![None; scenario.pods.len()],
            ztunnel_of_node: vec![ABSENT; outside],
            edges: Vec::new(),
            routes: Vec::new(),
            clusters: Vec::new(),
            pools: Vec::new(),
            tunnels: Vec::new(),
            tunnel_index: BTreeMap::new(),
            connections: Slab::new(),
            exchanges: Slab::new(),
            generators: Vec::new(),
            clients: Vec::new(),
            observer: Observer::new(0, starts_at, ends_at, window),
            missed: Vec::new(),
            targets: vec![Target { name: "own pod".into(), pods: Vec::new(), is_own_pod: true }],
            choosers: Vec::new(),
            cluster_index: Vec::new(),
            streams,
            audit: Audit::default(),
        };
        world.add_proxies_and_apps();
        world.add_loads(schedule);
        world.add_calls();
        world.name_choosers();
        world.observer = Observer::new(world.edges.len(), starts_at, ends_at, window);
        for node in 0..outside as u32 {
            world.plan_stall(node, schedule);
        }
        schedule.at(starts_at, Event::MeasurementStarted);
        schedule.at(ends_at, Event::MeasurementEnded);
        world
    }

    fn add_proxies_and_apps(&mut self) {
        let scenario = self.scenario;
        let costs = &scenario.costs;
        for (index, pod) in scenario.pods.iter().enumerate() {
            let name = format!("{}/{}", pod.namespace, pod.name);
            let (node, index) = (pod.node.0, index as u32);
            let enrolment = &scenario.enrolments[index as usize];
            let workers = enrolment.concurrency.max(1);
            match scenario.workload(pod.workload).role {
                Role::Application => self.add_app(name.clone(), index),
                Role::Waypoint => {
                    let cost = PassCosts::envoy(costs.waypoint_cpu, costs);
                    let at = (ProcessKind::Waypoint, node, Some(index));
                    let process = self.add_process(at, name.clone(), workers, 1, cost);
                    self.envoy_of_pod[index as usize] = Some(process);
                    self.app_of_pod.push(ABSENT);
                }
                Role::Gateway => {
                    let cost = PassCosts::envoy(costs.gateway_cpu, costs);
                    let at = (ProcessKind::Gateway, node, Some(index));
                    let process = self.add_process(at, name.clone(), workers, 1, cost);
                    self.envoy_of_pod[index as usize] = Some(process);
                    self.app_of_pod.push(ABSENT);
                }
            }
            if enrolment.data_plane == DataPlane::Sidecar
                && scenario.workload(pod.workload).role == Role::Application
            {
                let cost = PassCosts::envoy(costs.sidecar_outbound_cpu, costs);
                let at = (ProcessKind::Sidecar, node, Some(index));
                let process = self.add_process(at, name, workers, 1, cost);
                self.processes[process as usize].inbound_costs =
                    PassCosts::envoy(costs.sidecar_inbound_cpu, costs);
                self.envoy_of_pod[index as usize] = Some(process);
            }
        }
        let is_ambient =
            |enrolment: &crate::mesh::Enrolment| enrolment.data_plane == DataPlane::Ambient;
        if scenario.enrolments.iter().any(is_ambient) {
            self.add_ztunnels();
        }
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

    fn add_app(&mut self, name: String, pod: u32) {
        let scenario = self.scenario;
        let pod_state = &scenario.pods[pod as usize];
        let at = (ProcessKind::App, pod_state.node.0, Some(pod));
        let entity = entity_id(&format!("app {name}"));
        let process = self.add_process(at, name, 0, 0, PassCosts::default());
        let stream = |purpose| self.streams.stream(purpose, entity);
        self.apps[process as usize] = Some(AppPool {
            behavior: scenario.workload(pod_state.workload).behavior,
            active: 0,
            waiting: VecDeque::new(),
            last_ran: SimTime::ZERO,
            time_rng: stream(Purpose::ServiceTime),
            behavior_rng: stream(Purpose::Behavior),
            calls: Vec::new(),
        });
        self.app_of_pod.push(process);
    }

    /// Adds a process of `stations` queues with `threads` each.
    fn add_process(
        &mut self,
        (kind, node, pod): (ProcessKind, u32, Option<u32>),
        name: String,
        stations: u32,
        threads: u32,
        costs: PassCosts,
    ) -> u32 {
        let process = self.processes.len() as u32;
        let first_station = self.stations.len() as u32;
        for station in first_station..first_station + stations {
            self.stations.push(Station::new(process, self.threads.len() as u32, threads));
            let idle =
                Thread { station, free_at: SimTime::ZERO, current: None, release_is_due: false };
            self.threads.extend((0..threads).map(|_| idle));
        }
        let entity = entity_id(&format!("{kind:?} {name}"));
        let stream = |purpose| self.streams.stream(purpose, entity);
        self.processes.push(Process {
            kind,
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
            accepted: vec![0; stations as usize],
            name,
        });
        self.apps.push(None);
        process
    }

    fn add_loads(&mut self, schedule: &mut Schedule<Event>) {
        for load in 0..self.scenario.loads.len() {
            self.add_load_edge(load);
        }
        for load in 0..self.scenario.loads.len() {
            let from = self.scenario.loads[load].from;
            let pods: Vec<Option<PodId>> = match from {
                Some(workload) => {
                    self.scenario.workload(workload).pods.iter().copied().map(Some).collect()
                }
                None => vec![None],
            };
            for (place, &pod) in pods.iter().enumerate() {
                self.add_generator(load, pod, (pods.len(), place), schedule);
            }
        }
    }

    fn add_load_edge(&mut self, index: usize) {
        let scenario = self.scenario;
        let load = &scenario.loads[index];
        let source = load
            .from
            .map_or_else(|| "external".to_owned(), |from| scenario.workload(from).qualified_name());
        self.add_edge(source, &load.to);
    }

    fn add_edge(&mut self, source: String, to: &Dialled) -> u32 {
        let edge = self.edges.len() as u32;
        let destination = match *to {
            Dialled::Service { service, .. } => self.scenario.service(service).qualified_name(),
            Dialled::PodIp { pod, .. } => {
                let pod = self.scenario.pod(pod);
                format!("{}/{}", pod.namespace, pod.name)
            }
        };
        self.edges.push(Edge { source, destination });
        edge
    }

    fn add_generator(
        &mut self,
        load: usize,
        pod: Option<PodId>,
        (pods, place): (usize, usize),
        schedule: &mut Schedule<Event>,
    ) {
        let scenario = self.scenario;
        let spec = &scenario.loads[load];
        let (node, name) = match pod {
            Some(pod) => {
                let pod = scenario.pod(pod);
                (pod.node.0, format!("{}/{} load {load}", pod.namespace, pod.name))
            }
            None => (scenario.nodes.len() as u32, format!("external load {load}")),
        };
        let threads = scenario.costs.client_workers as u32;
        let costs = PassCosts::client(&scenario.costs);
        let at = (ProcessKind::Client, node, pod.map(|pod| pod.0));
        let process = self.add_process(at, name.clone(), 1, threads, costs);
        let route = self.add_route(pod, &spec.to, spec.via.is_some());
        let generator = self.generators.len() as u32;
        let is_shared = !beats(&spec.arrivals);
        let pool = Pool {
            owner: process,
            station: self.processes[process as usize].first_station,
            route,
            max_connections: if is_shared { spec.connections } else { 1 },
            keep_alive: spec.keep_alive,
            ..Pool::unlimited()
        };
        self.generators.push(Generator {
            load,
            edge: load as u32,
            route,
            pool: self.pools.len() as u32,
            share: 1.0 / pods as f64,
            phase: 0.0,
            trace_position: place,
            stride: pods,
            rng: self.streams.stream(Purpose::Arrivals, entity_id(&name)),
        });
        if is_shared {
            self.pools.push(pool);
            self.plan_arrival(generator, schedule);
        } else {
            self.add_clients(generator, pool, pods, schedule);
        }
    }

    fn add_clients(
        &mut self,
        generator: u32,
        pool: Pool,
        pods: usize,
        schedule: &mut Schedule<Event>,
    ) {
        let spec = &self.scenario.loads[self.generators[generator as usize].load];
        for connection in 0..spec.connections {
            let client = self.clients.len() as u32;
            self.clients.push(ClientSlot {
                generator,
                pool: self.pools.len() as u32,
                beat: SimTime::ZERO,
                is_busy: false,
            });
            self.missed.push(VecDeque::new());
            self.pools.push(pool.clone());
            self.plan_first_beat(client, connection, pods, schedule);
        }
    }

    fn add_calls(&mut self) {
        let scenario = self.scenario;
        for workload in &scenario.workloads {
            if workload.role != Role::Application {
                continue;
            }
            let calls = &scenario.behaviors[workload.behavior].calls;
            let edges: Vec<Vec<u32>> = calls
                .iter()
                .map(|step| {
                    step.iter()
                        .map(|call| self.add_edge(workload.qualified_name(), &call.to))
                        .collect()
                })
                .collect();
            for &pod in &workload.pods {
                let plans = calls
                    .iter()
                    .zip(&edges)
                    .map(|(step, edges)| {
                        let bound = step.iter().zip(edges);
                        bound.map(|(call, &edge)| self.bind_call(pod, &call.to, edge)).collect()
                    })
                    .collect();
                let app = self.app_of_pod[pod.index()];
                if let Some(app) = &mut self.apps[app as usize] {
                    app.calls = plans;
                }
            }
        }
    }

    fn bind_call(&mut self, pod: PodId, to: &Dialled, edge: u32) -> CallPlan {
        let route = self.add_route(Some(pod), to, false);
        let pool = self.pools.len() as u32;
        let owner = self.app_of_pod[pod.index()];
        self.pools.push(Pool { owner, station: NO_STATION, route, ..Pool::unlimited() });
        CallPlan { edge, route, pool }
    }

    /// The way from `pod` (or from outside) to what it dials.
    fn add_route(&mut self, pod: Option<PodId>, to: &Dialled, through_gateway: bool) -> u32 {
        let scenario = self.scenario;
        let query = path_query(scenario, pod, to, through_gateway);
        let path = lookup(&query);
        let targets = RouteTargets {
            gateway: self.gateway_target(),
            waypoint: self.waypoint_target(to),
            server: self.server_target(to),
            own_pod: OWN_POD,
        };
        let route = self.routes.len() as u32;
        self.routes.push(Route {
            source_pod: pod.map(|pod| pod.0),
            addressed_pod: match to {
                Dialled::PodIp { pod, .. } => Some(pod.0),
                Dialled::Service { .. } => None,
            },
            stages: compile(&path, &targets),
        });
        route
    }

    fn target(&mut self, name: String, pods: Vec<u32>) -> u32 {
        if let Some(known) = self.targets.iter().position(|target| target.name == name) {
            return known as u32;
        }
        self.targets.push(Target { name, pods, is_own_pod: false });
        self.targets.len() as u32 - 1
    }

    fn server_target(&mut self, to: &Dialled) -> u32 {
        let scenario = self.scenario;
        match *to {
            Dialled::Service { service, port } => {
                let service = scenario.service(service);
                let port = service.ports.get(port).map_or(0, |port| port.port);
                let pods = service.endpoints.iter().map(|pod| pod.0).collect();
                self.target(format!("service {}:{port}", service.qualified_name()), pods)
            }
            Dialled::PodIp { pod, .. } => {
                let name = &scenario.pod(pod).name;
                self.target(format!("pod {}/{name}", scenario.pod(pod).namespace), vec![pod.0])
            }
        }
    }

    fn waypoint_target(&mut self, to: &Dialled) -> u32 {
        let scenario = self.scenario;
        let Some(waypoint) = bound_waypoint(scenario, to) else { return OWN_POD };
        let waypoint = &scenario.waypoints[waypoint];
        let pods = scenario.workload(waypoint.workload).pods.iter().map(|pod| pod.0).collect();
        self.target(format!("waypoint {}", waypoint.qualified_name()), pods)
    }

    fn gateway_target(&mut self) -> u32 {
        let scenario = self.scenario;
        let gateways = scenario.workloads.iter().find(|workload| workload.role == Role::Gateway);
        let Some(gateway) = gateways else { return OWN_POD };
        let pods = gateway.pods.iter().map(|pod| pod.0).collect();
        self.target(format!("gateway {}", gateway.qualified_name()), pods)
    }

    fn name_choosers(&mut self) {
        let nodes = self.scenario.nodes.iter().map(|node| format!("kube-proxy {}", node.name));
        let processes = self.processes.iter().map(|p| format!("{:?} {}", p.kind, p.name));
        self.choosers = processes
            .chain(nodes)
            .chain(["kube-proxy outside".to_owned(), "load balancer".to_owned()])
            .collect();
        self.cluster_index = vec![Vec::new(); self.choosers.len()];
    }
}

/// Whether each connection sends at its own beat; else arrivals share the connections.
fn beats(arrivals: &Arrivals) -> bool {
    !matches!(arrivals, Arrivals::Poisson | Arrivals::Constant | Arrivals::Trace(_))
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

fn delays(scenario: &Scenario) -> Delays {
    let costs = &scenario.costs;
    let us = |micros: f64| micros * 1e3;
    let thousands_of_services = scenario.services.len() as f64 / 1e3;
    let rules_us = match scenario.kube_proxy {
        crate::cluster::kube_proxy::KubeProxyMode::Iptables => {
            costs.iptables_base + costs.iptables_per_1000_services * thousands_of_services
        }
        _ => costs.nftables_base,
    };
    Delays {
        hop_ns: [
            us(costs.hop_same_pod),
            us(costs.hop_same_node),
            us(costs.hop_same_zone),
            us(costs.hop_cross_zone),
        ],
        hop_spread: Spread::around_median(costs.hop_sigma),
        cross_zone_spread: Spread::around_median(costs.hop_cross_zone_sigma),
        kube_proxy: SimDuration::from_nanos(us(rules_us) as u64),
        tls_client_ns: us(costs.tls_client_cpu),
        tls_server_ns: us(costs.tls_server_cpu),
        work_spread: Spread::from_cv(costs.work_cv),
        wake_cpu_share: costs.wake_cpu_share,
        wake_up: WakeUp::new(costs),
    }
}

/// The waypoint that handles what `to` addresses, if one is bound to it.
fn bound_waypoint(scenario: &Scenario, to: &Dialled) -> Option<usize> {
    match *to {
        Dialled::Service { service, .. } => scenario.waypoint_of_service[service.index()],
        Dialled::PodIp { pod, .. } => scenario.waypoint_of_pod[pod.index()],
    }
}

/// The question to the path table for `pod` (or a client outside) dialling `to`.
pub fn path_query(
    scenario: &Scenario,
    pod: Option<PodId>,
    to: &Dialled,
    through_gateway: bool,
) -> PathQuery {
    let plane = |pod: PodId| scenario.enrolments[pod.index()].data_plane;
    let client = pod.map_or(Client::External, |pod| Client::Pod(plane(pod)));
    let (addressed, server, protocol, port) = match *to {
        Dialled::Service { service, port } => {
            let endpoint = scenario.service(service).endpoints.first().copied();
            let number = scenario.service(service).ports.get(port).map_or(0, |port| port.port);
            (Addressed::Service, endpoint, service_protocol(scenario, service, port), number)
        }
        Dialled::PodIp { pod, port } => {
            (Addressed::PodIp, Some(pod), pod_protocol(scenario, pod, port), port)
        }
    };
    let waypoint = bound_waypoint(scenario, to).map(|at| scenario.waypoints[at].waypoint_for);
    PathQuery {
        server_accepts_hbone: server.is_some_and(|pod| scenario.enrolments[pod.index()].hbone),
        waypoint,
        gateway: through_gateway.then(|| gateway_in_between(scenario, pod, to)),
        protocol,
        http_service_on_port: scenario
            .services
            .iter()
            .any(|service| service.ports.iter().any(|p| p.port == port && declared(p).is_http())),
        ..PathQuery::new(client, server.map_or(DataPlane::None, plane), addressed)
    }
}

fn gateway_in_between(scenario: &Scenario, pod: Option<PodId>, to: &Dialled) -> Gateway {
    let gateway = scenario.workloads.iter().find(|workload| workload.role == Role::Gateway);
    let first = gateway.and_then(|workload| workload.pods.first());
    let accepts_hbone = first.is_some_and(|pod| scenario.enrolments[pod.index()].hbone);
    let use_waypoint = match *to {
        Dialled::Service { service, .. } => scenario.ingress_use_waypoint[service.index()],
        Dialled::PodIp { .. } => false,
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

fn declared(port: &crate::cluster::ServicePort) -> Protocol {
    let declaration = PortDeclaration {
        number: port.port,
        name: (!port.name.is_empty()).then_some(port.name.as_str()),
        app_protocol: port.app_protocol.as_deref(),
        transport: Transport::Tcp,
    };
    declaration.protocol()
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
