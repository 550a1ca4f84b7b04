//! Builds the world of a run from a checked scenario.

mod edges;
mod processes;
mod routes;

use std::collections::BTreeMap;

use crate::engine::{Purpose, RandomStreams, Schedule, Slab, entity_id};
use crate::scenario::Scenario;
use crate::units::{SimDuration, SimTime};

use super::audit::Audit;
use super::connection::ABSENT;
use super::cpu::NodeCores;
use super::delays::Delays;
use super::event::Event;
use super::observer::Observer;
use super::world::{MeshWorld, Target};

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
        let mut world = Self::empty(scenario, streams, Observer::new(starts_at, ends_at, window));
        world.add_pods();
        world.add_loads(schedule);
        world.add_calls();
        world.name_choosers();
        for node in 0..scenario.nodes.len() as u32 {
            world.plan_stall(node, schedule);
        }
        schedule.at(starts_at, Event::MeasurementStarted);
        schedule.at(ends_at, Event::MeasurementEnded);
        world
    }

    /// Nodes on which nothing runs.
    fn empty(scenario: &'a Scenario, streams: RandomStreams, observer: Observer) -> Self {
        let nodes = &scenario.nodes;
        let cores = nodes.iter().map(|node| NodeCores::new(node.cores));
        let stall = |name: &str| streams.stream(Purpose::NodeStall, entity_id(name));
        Self {
            scenario,
            kube_proxy: scenario.kube_proxy,
            delays: Delays::of(scenario),
            cores: cores.chain([NodeCores::new(OUTSIDE_CORES)]).collect(),
            stalls: nodes.iter().map(|node| stall(&node.name)).collect(),
            processes: Vec::new(),
            stations: Vec::new(),
            threads: Vec::new(),
            apps: Vec::new(),
            app_of_pod: Vec::new(),
            envoy_of_pod: vec![None; scenario.pods.len()],
            ztunnel_of_node: vec![ABSENT; nodes.len()],
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
            observer,
            missed: Vec::new(),
            targets: vec![Target { name: "own pod".into(), pods: Vec::new(), is_own_pod: true }],
            choosers: Vec::new(),
            cluster_index: Vec::new(),
            streams,
            audit: Audit::default(),
        }
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
