//! All state of one run, and how it reacts to each event.

use std::collections::{BTreeMap, VecDeque};

use crate::cluster::kube_proxy::KubeProxyMode;
use crate::engine::{RandomStreams, Schedule, Slab, Stream, World};
use crate::scenario::Scenario;
use crate::units::SimTime;
use crate::workload::Distribution;

use super::audit::Audit;
use super::clients::{ClientSlot, Generator};
use super::connection::{Connection, Pool, Tunnel, UpstreamCluster};
use super::cpu::NodeCores;
use super::delays::Delays;
use super::event::{Event, ExchangeId};
use super::exchange::Exchange;
use super::observer::Observer;
use super::process::{Process, Spread};
use super::route::Route;
use super::serving::AppPool;
use super::stations::{Station, Thread};

/// One edge of the call graph: a load, or a call of a behavior.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    /// `namespace/name` of the caller, or `external`.
    pub(crate) source: String,
    /// `namespace/name` of the service or pod called.
    pub(crate) destination: String,
}

/// Pods that a choice can fall on.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// Unique among the targets.
    pub(crate) name: String,
    /// The pods, in order of their ids.
    pub(crate) pods: Vec<u32>,
    /// Whether it stands for the pod of whoever chooses.
    pub(crate) is_own_pod: bool,
}

/// All state of one run.
pub(crate) struct MeshWorld<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) kube_proxy: KubeProxyMode,
    pub(crate) delays: Delays,
    /// Cores by node; the last node is the world outside the cluster.
    pub(crate) cores: Vec<NodeCores>,
    pub(crate) stalls: Vec<Stream>,
    pub(crate) processes: Vec<Process>,
    pub(crate) stations: Vec<Station>,
    pub(crate) threads: Vec<Thread>,
    /// Application processes' own state, by process.
    pub(crate) apps: Vec<Option<AppPool>>,
    pub(crate) app_of_pod: Vec<u32>,
    /// Sidecar, waypoint or gateway process by pod.
    pub(crate) envoy_of_pod: Vec<Option<u32>>,
    pub(crate) ztunnel_of_node: Vec<u32>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) routes: Vec<Route>,
    pub(crate) clusters: Vec<UpstreamCluster>,
    pub(crate) pools: Vec<Pool>,
    pub(crate) tunnels: Vec<Tunnel>,
    /// Tunnels by client station, source pod and destination pod.
    pub(crate) tunnel_index: BTreeMap<(u32, u32, u32), Vec<u32>>,
    pub(crate) connections: Slab<Connection>,
    pub(crate) exchanges: Slab<Exchange>,
    pub(crate) generators: Vec<Generator>,
    pub(crate) clients: Vec<ClientSlot>,
    pub(crate) observer: Observer,
    /// What can be chosen among.
    pub(crate) targets: Vec<Target>,
    /// Names of all that choose: the processes, kube-proxy by node, the load balancer.
    pub(crate) choosers: Vec<String>,
    /// Upstream clusters by chooser and target, as far as they were needed.
    pub(crate) cluster_index: Vec<Vec<u32>>,
    pub(crate) streams: RandomStreams,
    /// Beats that a client could not keep, because it was still waiting, oldest first.
    pub(crate) missed: Vec<VecDeque<SimTime>>,
    /// What went through queues, in debug builds.
    pub(crate) audit: Audit,
}

impl World for MeshWorld<'_> {
    type Event = Event;

    fn handle(&mut self, event: Event, schedule: &mut Schedule<Event>) {
        match event {
            Event::BeatDue { client } => self.beat(client, schedule),
            Event::ArrivalDue { generator } => self.open_loop_arrival(generator, schedule),
            Event::HopArrived { exchange } => self.arrive(exchange, schedule),
            Event::WorkDone { thread } => self.finish_work(thread, schedule),
            Event::ThreadFreed { thread } => self.free_thread(thread, schedule),
            Event::SliceUsed { exchange } => self.use_slice(exchange, schedule),
            Event::WaitOver { exchange } => self.finish_wait(exchange, schedule),
            Event::HandshakeArrived { connection } => self.advance_opening(connection, schedule),
            Event::TimeoutExpired { exchange } => self.expire(exchange, schedule),
            Event::IdleTimeoutDue { connection } => self.close_if_idle(connection, schedule),
            Event::TunnelIdleDue { tunnel } => self.close_tunnel_if_idle(tunnel, schedule),
            Event::NodeStalled { node } => self.stall(node, schedule),
            Event::MeasurementStarted => self.start_measurement(),
            Event::MeasurementEnded => self.end_measurement(),
        }
    }
}

impl MeshWorld<'_> {
    /// The exchange with this id; a stale id is a broken invariant, since only timers may be stale.
    pub(crate) fn exchange(&mut self, id: ExchangeId) -> &mut Exchange {
        self.exchanges.get_mut(id).expect("only timers outlive their exchange")
    }

    /// Stops everything on `node` for a while, and plans the next stall.
    fn stall(&mut self, node: u32, schedule: &mut Schedule<Event>) {
        let costs = &self.scenario.costs;
        let rng = &mut self.stalls[node as usize];
        let length = Spread::around_median(costs.stall_sigma).draw(costs.stall_median * 1e6, rng);
        self.cores[node as usize].stall(schedule.now() + length);
        self.observer.note_stall(schedule.now(), node, length);
        self.plan_stall(node, schedule);
    }

    /// Plans the next stall of `node`, a Poisson process.
    pub(crate) fn plan_stall(&mut self, node: u32, schedule: &mut Schedule<Event>) {
        let mean_s = self.scenario.costs.stall_interval;
        if mean_s > 0.0 {
            let gap =
                Distribution::Exponential { mean: mean_s }.sample(&mut self.stalls[node as usize]);
            schedule.after(gap, Event::NodeStalled { node });
        }
    }

    fn start_measurement(&mut self) {
        self.observer.start(&self.processes);
    }

    fn end_measurement(&mut self) {
        self.observer.end(&self.processes);
    }
}
