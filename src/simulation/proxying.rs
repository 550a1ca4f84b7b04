//! What an HTTP proxy does with a request and with its answer.

use crate::engine::{Purpose, Schedule, entity_id};
use crate::mesh::path::{Actor, Chosen};
use crate::units::SimDuration;

use super::connection::{ABSENT, Balancing, NO_POD, Pool, UpstreamCluster};
use super::event::{Event, ExchangeId};
use super::exchange::{Exchange, Owner};
use super::flags;
use super::process::ProcessKind;
use super::world::MeshWorld;

/// Streams on one HTTP/2 connection to an upstream host: more than any load here has in flight.
///
/// Left out: `max_concurrent_streams` of either side and Istio's `maxConcurrentStreams`.
const HTTP2_STREAMS: u32 = i32::MAX as u32;

/// How long an Envoy keeps an idle upstream connection.
///
/// Source: Envoy 1.40, `HttpProtocolOptions.idle_timeout`, default 1 h; Istio 1.31 leaves it.
const ENVOY_IDLE_TIMEOUT: SimDuration = SimDuration::from_secs(3600);

impl MeshWorld<'_> {
    /// The proxy `process` has parsed request `id`: it chooses where to send it and does so.
    pub(crate) fn proxy_request(
        &mut self,
        process: u32,
        station: u32,
        id: ExchangeId,
        schedule: &mut Schedule<Event>,
    ) {
        let parent = *self.exchange(id);
        let stage = parent.stage + 1;
        let target = self.target_of(parent.route, stage);
        let cluster = self.cluster_of(process, target);
        let Some(host) = self.choose(cluster) else {
            self.reply_locally(id, 503, flags::UH, schedule);
            return;
        };
        let pod = self.clusters[cluster as usize].hosts[host as usize].pod;
        let (route, endpoint) = self.way_after(&parent, stage, pod);
        let pool = self.pool_of(cluster, host, station, (route, stage));
        let attempt = Exchange {
            owner: Owner::Proxy(id),
            route,
            stage,
            counted_at: Some((cluster, host)),
            endpoint,
            ..parent.onward()
        };
        let attempt = self.exchanges.insert(attempt);
        self.processes[process as usize].account.attempts += 1;
        self.request_connection(pool, attempt, schedule);
    }

    /// What the opener of `stage` chooses among for each request.
    fn target_of(&self, route: u32, stage: u8) -> u32 {
        self.routes[route as usize].stages[stage as usize].request_target
    }

    /// Route and serving pod, as far as it is settled, once `pod` is chosen for `stage`.
    fn way_after(&self, parent: &Exchange, stage: u8, pod: u32) -> (u32, u32) {
        let stage = &self.routes[parent.route as usize].stages[stage as usize];
        match stage.request_choice() {
            Some(choice) if choice.of == Chosen::ServerPod => {
                (self.route_to(parent.route, pod), pod)
            }
            Some(_) => (parent.route, parent.endpoint),
            None => (parent.route, pod),
        }
    }

    /// The upstream cluster of `chooser` for `target`, made when first needed.
    pub(crate) fn cluster_of(&mut self, chooser: u32, target: u32) -> u32 {
        let known = &mut self.cluster_index[chooser as usize];
        if known.is_empty() {
            known.resize(self.targets.len(), ABSENT);
        }
        let cluster = known[target as usize];
        if cluster != ABSENT {
            return cluster;
        }
        let cluster = self.clusters.len() as u32;
        self.cluster_index[chooser as usize][target as usize] = cluster;
        let new = self.new_cluster(chooser, target);
        self.clusters.push(new);
        cluster
    }

    fn new_cluster(&self, chooser: u32, target: u32) -> UpstreamCluster {
        let target = &self.targets[target as usize];
        let name = &self.choosers[chooser as usize];
        let (balancing, first_station, workers, own) = match self.processes.get(chooser as usize) {
            Some(process) => (
                Balancing::of(process.kind),
                process.first_station,
                process.station_count.max(1),
                process.pod.unwrap_or(NO_POD),
            ),
            None => (self.balancing_of_rules(chooser), 0, 1, NO_POD),
        };
        let own = [own];
        let pods: &[u32] = if target.is_own_pod { &own } else { &target.pods };
        let rng = self
            .streams
            .stream(Purpose::LoadBalancing, entity_id(&format!("{name}|{}", target.name)));
        UpstreamCluster::new(balancing, pods, (first_station, workers), rng)
    }

    /// How a chooser that is no process chooses: the load balancer is the last of them.
    fn balancing_of_rules(&self, chooser: u32) -> Balancing {
        if chooser as usize + 1 == self.choosers.len() {
            Balancing::Random
        } else {
            Balancing::KubeProxy
        }
    }

    /// The pool of worker `station` to `host` of `cluster`, made when first needed.
    fn pool_of(&mut self, cluster: u32, host: u32, station: u32, way: (u32, u8)) -> u32 {
        let place = self.clusters[cluster as usize].pool_place(host, station);
        let pool = self.clusters[cluster as usize].pools[place];
        if pool != ABSENT {
            return pool;
        }
        let (route, stage) = way;
        let plan = &self.routes[route as usize].stages[stage as usize];
        let pool = self.pools.len() as u32;
        self.pools.push(Pool {
            owner: self.stations[station as usize].process,
            station,
            starts_inbound: plan.from == Actor::ServerSidecar,
            route,
            stage,
            host: Some(self.clusters[cluster as usize].hosts[host as usize].pod),
            max_streams: if plan.multiplexes { HTTP2_STREAMS } else { 1 },
            keep_alive: true,
            idle_timeout: Some(ENVOY_IDLE_TIMEOUT),
            ..Pool::unlimited()
        });
        self.clusters[cluster as usize].pools[place] = pool;
        pool
    }

    /// The proxy that parsed `id` answers by itself.
    pub(crate) fn reply_locally(
        &mut self,
        id: ExchangeId,
        status: u16,
        flags: u16,
        schedule: &mut Schedule<Event>,
    ) {
        let exchange = self.exchange(id);
        exchange.status = status;
        exchange.flags |= flags;
        exchange.response_bytes = 0;
        self.answer_downstream(id, schedule);
    }

    /// The answer of an attempt has come back to the proxy that sent it: it goes on downstream.
    pub(crate) fn finish_attempt(
        &mut self,
        id: ExchangeId,
        parent: ExchangeId,
        schedule: &mut Schedule<Event>,
    ) {
        let attempt = self.end_exchange(id, true, schedule);
        let downstream = self.exchange(parent);
        downstream.status = attempt.status;
        downstream.flags |= attempt.flags;
        downstream.attempts += attempt.attempts;
        downstream.response_bytes = attempt.response_bytes;
        self.answer_downstream(parent, schedule);
    }

    /// Sends the answer to `id` off, and counts it where it was parsed.
    fn answer_downstream(&mut self, id: ExchangeId, schedule: &mut Schedule<Event>) {
        let exchange = self.exchange(id);
        exchange.returning = true;
        let (edge, route, stage) = (exchange.edge, exchange.route, exchange.stage);
        let (status, flags, start) = (exchange.status, exchange.flags, exchange.intended_start);
        let reporter = self.routes[route as usize].stages[stage as usize].reporter;
        let server = self.server_of(id);
        self.processes[server as usize].account.requests += 1;
        if let Some(reporter) = reporter {
            self.observer.count_response(edge, reporter, status, flags, start);
        }
        self.send_on(id, schedule);
    }

    /// The process at the server end of the connection of `id`.
    fn server_of(&self, id: ExchangeId) -> u32 {
        let exchange = self.exchanges.get(id).expect("it is being answered");
        self.connections.get(exchange.line()).expect("its connection outlives it").server
    }
}

impl Balancing {
    /// How a process of this kind chooses when nothing is configured.
    fn of(kind: ProcessKind) -> Self {
        match kind {
            ProcessKind::Sidecar | ProcessKind::Waypoint | ProcessKind::Gateway => {
                Self::LeastRequest
            }
            ProcessKind::Client | ProcessKind::App | ProcessKind::Ztunnel => Self::Random,
        }
    }
}
