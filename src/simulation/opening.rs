//! How a connection comes to be: leg by leg, round trip by round trip.
//!
//! Every leg costs the round trip of a TCP handshake. An encrypted one costs another for
//! TLS 1.3 and the cryptography of both sides, done by the threads that will serve the
//! connection. An HBONE leg is a CONNECT stream, one round trip, on a tunnel of `tunnels`.
//!
//! Sources: RFC 9293 and RFC 8446 for the round trips; istio/ztunnel 1.31
//! `src/proxy/pool.rs` (one pool per source pod and destination, at most 100 streams a
//! connection); Envoy 1.40 (one HTTP/2 pool per worker and host).

use rand::RngExt;

use crate::engine::Schedule;
use crate::mesh::path::{Actor, Chosen};
use crate::policy::load_balancing::least_request;
use crate::units::{SimDuration, SimTime};

use super::connection::{
    Balancing, Connection, Distance, Leg, MOST_STATIONS, NO_POD, NO_STATION, Opening, Setup,
};
use super::event::{ConnectionId, Event};
use super::forwarding::sender_of;
use super::route::Capture;
use super::stations::{Job, Work};
use super::world::MeshWorld;

/// The pods that choices have settled so far.
#[derive(Clone, Copy, Debug)]
struct Settled {
    source: Option<u32>,
    gateway: u32,
    waypoint: u32,
    server: u32,
}

impl MeshWorld<'_> {
    /// Starts to open a connection for `pool`. Without a destination to go to, its requests
    /// find nobody.
    pub(crate) fn open_connection(&mut self, pool: u32, schedule: &mut Schedule<Event>) {
        match self.plan(pool) {
            Some(connection) => {
                let state = &mut self.pools[pool as usize];
                state.connecting += 1;
                state.connections += 1;
                let id = self.connections.insert(connection);
                self.count_connection(id, true);
                self.begin_leg(id, schedule);
            }
            None => self.refuse_pending(pool, schedule),
        }
    }

    /// Chooses the way of a new connection of `pool`; none if a choice finds nobody.
    fn plan(&mut self, pool: u32) -> Option<Connection> {
        let state = &self.pools[pool as usize];
        let (owner, mut route, stage) = (state.owner, state.route, state.stage);
        let (host, starts_inbound) = (state.host, state.starts_inbound);
        let mut settled = self.settle_known(owner, route, starts_inbound);
        let mut counted_at = [None; 3];
        for (place, counted) in counted_at.iter_mut().enumerate() {
            let choices = &self.routes[route as usize].stages[stage as usize].choices;
            let Some(&choice) = choices.get(place) else { break };
            let pod = match (choice.per_request, host) {
                (true, Some(pod)) => pod,
                _ => {
                    let chooser = self.chooser(choice.chooser, owner, &settled);
                    let cluster = self.cluster_of(chooser, choice.target);
                    let chosen = self.choose(cluster)?;
                    let host = &mut self.clusters[cluster as usize].hosts[chosen as usize];
                    host.active += 1;
                    *counted = Some((cluster, chosen));
                    host.pod
                }
            };
            match choice.of {
                Chosen::GatewayPod => settled.gateway = pod,
                Chosen::WaypointPod => settled.waypoint = pod,
                Chosen::ServerPod => {
                    settled.server = pod;
                    route = self.route_to(route, pod);
                }
            }
        }
        Some(self.lay_out(pool, route, settled, counted_at))
    }

    /// The route by which `route` gets to `pod`, now that it is chosen as the server.
    pub(crate) fn route_to(&self, route: u32, pod: u32) -> u32 {
        let others = &self.routes[route as usize].others;
        if others.is_empty() {
            return route;
        }
        let capture = Capture::of(&self.scenario.enrolments[pod as usize]);
        let meant = others.iter().find(|(other, _)| *other == capture);
        meant.map_or(route, |&(_, other)| other)
    }

    /// Who makes a choice: a process, a node's kube-proxy, or the load balancer.
    fn chooser(&self, actor: Actor, owner: u32, settled: &Settled) -> u32 {
        match actor {
            Actor::KubeProxy => self.processes.len() as u32 + self.processes[owner as usize].node,
            Actor::LoadBalancer => self.choosers.len() as u32 - 1,
            _ => self.locate(actor, owner, settled).0,
        }
    }

    /// What is known before anything is chosen: the caller, the pod it addressed, and of a
    /// sidecar its own pod.
    fn settle_known(&self, owner: u32, route: u32, starts_inbound: bool) -> Settled {
        let own = self.processes[owner as usize].pod;
        let route = &self.routes[route as usize];
        let server = if starts_inbound { own } else { route.addressed_pod };
        let own = own.unwrap_or(NO_POD);
        Settled {
            source: route.source_pod,
            gateway: own,
            waypoint: own,
            server: server.unwrap_or(NO_POD),
        }
    }

    /// Chooses a host of `cluster`; none if it has none.
    pub(crate) fn choose(&mut self, cluster: u32) -> Option<u32> {
        let state = &mut self.clusters[cluster as usize];
        let count = state.hosts.len();
        if count == 0 {
            return None;
        }
        Some(match state.balancing {
            Balancing::LeastRequest => {
                let hosts = &state.hosts;
                least_request::pick(count, |host| hosts[host].active, &mut state.rng) as u32
            }
            Balancing::Random => state.rng.random_range(0..count as u32),
            Balancing::KubeProxy => {
                state.choice.pick(self.kube_proxy, count, &mut state.rng)? as u32
            }
        })
    }

    /// The stations and legs of a connection by `route` whose pods are settled.
    fn lay_out(
        &mut self,
        pool: u32,
        route: u32,
        settled: Settled,
        counted_at: [Option<(u32, u32)>; 3],
    ) -> Connection {
        let state = &self.pools[pool as usize];
        let owner = state.owner;
        let mut connection = Connection::new(pool, counted_at);
        connection.stations[0] = state.station;
        connection.endpoint = settled.server;
        let hops = self.routes[route as usize].stages[state.stage as usize].hops.clone();
        let mut before = (owner, self.processes[owner as usize].pod);
        for (leg, hop) in hops.iter().enumerate() {
            let (process, pod) = self.locate(hop.actor, owner, &settled);
            connection.legs[leg] = Leg {
                distance: self.distance(before, (process, pod)),
                setup: hop.setup,
                kube_proxy: hop.kube_proxy,
            };
            let near = connection.stations[leg];
            connection.stations[leg + 1] = if hop.setup == Setup::Hbone {
                let tunnel = self.find_tunnel(near, settled.source, pod, process);
                connection.tunnels[leg] = Some(tunnel);
                self.tunnels[tunnel as usize].far_station
            } else {
                self.accept(process)
            };
            before = (process, pod);
        }
        connection.length = hops.len() as u8 + 1;
        connection.server = before.0;
        connection.ends_inbound = hops.last().is_some_and(|hop| hop.actor == Actor::ServerSidecar);
        connection
    }

    /// The process that plays `actor`, and the pod it plays it for.
    fn locate(&self, actor: Actor, owner: u32, settled: &Settled) -> (u32, Option<u32>) {
        let envoy = |pod: u32| {
            self.envoy_of_pod[pod as usize].expect("the path table names proxies that exist")
        };
        let ztunnel =
            |pod: u32| self.ztunnel_of_node[self.scenario.pods[pod as usize].node.index()];
        let source = settled.source.unwrap_or(NO_POD);
        match actor {
            Actor::ClientSidecar => (envoy(source), Some(source)),
            Actor::ClientZtunnel => (ztunnel(source), Some(source)),
            Actor::Gateway => (envoy(settled.gateway), Some(settled.gateway)),
            Actor::Waypoint => (envoy(settled.waypoint), Some(settled.waypoint)),
            Actor::ServerZtunnel => (ztunnel(settled.server), Some(settled.server)),
            Actor::ServerSidecar => (envoy(settled.server), Some(settled.server)),
            Actor::ServerApp => (self.app_of_pod[settled.server as usize], Some(settled.server)),
            Actor::ClientApp | Actor::KubeProxy | Actor::LoadBalancer => {
                (owner, self.processes[owner as usize].pod)
            }
        }
    }

    fn distance(&self, a: (u32, Option<u32>), b: (u32, Option<u32>)) -> Distance {
        let node = |process: u32| self.processes[process as usize].node as usize;
        let (near, far) = (node(a.0), node(b.0));
        if a.1.is_some() && a.1 == b.1 {
            Distance::SamePod
        } else if near == far {
            Distance::SameNode
        } else {
            match (self.zone(near), self.zone(far)) {
                (Some(near), Some(far)) if near != far => Distance::CrossZone,
                _ => Distance::SameZone,
            }
        }
    }

    /// The zone of a node; none for the world outside, which is as near as another node of the zone.
    fn zone(&self, node: usize) -> Option<&str> {
        self.scenario.nodes.get(node).map(|node| node.zone.as_str())
    }

    /// Which of the stations of `process` takes a new connection.
    ///
    /// The kernel spreads connections over Envoy's workers by a hash of the addresses, which
    /// is as good as random.
    pub(crate) fn accept(&mut self, process: u32) -> u32 {
        let state = &mut self.processes[process as usize];
        match state.station_count {
            0 => NO_STATION,
            1 => state.first_station,
            workers => {
                let worker = state.accept_rng.random_range(0..workers);
                state.first_station + worker
            }
        }
    }

    /// Begins the leg that is next in line to be opened.
    fn begin_leg(&mut self, id: ConnectionId, schedule: &mut Schedule<Event>) {
        let connection = self.connections.get_mut(id).expect("a connection being opened exists");
        let leg = connection.opening_leg as usize;
        connection.opening = Opening::Tcp;
        if let Some(tunnel) = connection.tunnels[leg] {
            let state = &mut self.tunnels[tunnel as usize];
            if state.is_open {
                connection.opening = Opening::Connect;
            } else if state.is_opening {
                connection.opening = Opening::TunnelWait;
                state.waiting.push(id);
                return;
            }
            state.is_opening = true;
        }
        self.round_trip(id, schedule);
    }

    /// Lets a message of the handshake go to the other side of the leg and back.
    pub(crate) fn round_trip(&mut self, id: ConnectionId, schedule: &mut Schedule<Event>) {
        let there = self.handshake_hop(id);
        let back = self.handshake_hop(id);
        let connection = self.connections.get(id).expect("a connection being opened exists");
        let leg = connection.legs[connection.opening_leg as usize];
        let first_packet = leg.kube_proxy && connection.opening == Opening::Tcp;
        let rules = if first_packet { self.delays.kube_proxy } else { SimDuration::ZERO };
        schedule.after(there + back + rules, Event::HandshakeArrived { connection: id });
    }

    fn one_way(&mut self, id: ConnectionId, schedule: &mut Schedule<Event>) {
        let there = self.handshake_hop(id);
        schedule.after(there, Event::HandshakeArrived { connection: id });
    }

    fn handshake_hop(&mut self, id: ConnectionId) -> SimDuration {
        let connection = self.connections.get(id).expect("a connection being opened exists");
        let leg = connection.opening_leg as usize;
        let sender = sender_of(&self.stations, &self.pools, connection, leg);
        let distance = connection.legs[leg].distance;
        self.delays.hop(distance, &mut self.processes[sender].network_rng)
    }

    /// A step of opening `id` is done: begins the next.
    pub(crate) fn advance_opening(&mut self, id: ConnectionId, schedule: &mut Schedule<Event>) {
        let Some(connection) = self.connections.get_mut(id) else { return };
        let leg = connection.opening_leg as usize;
        let encrypted = connection.legs[leg].setup != Setup::Tcp;
        match connection.opening {
            Opening::Tcp if encrypted => {
                connection.opening = Opening::ClientHello;
                self.one_way(id, schedule);
            }
            Opening::ClientHello => {
                connection.opening = Opening::ServerCrypto;
                let station = connection.stations[leg + 1];
                self.handshake_work(id, station, self.delays.tls_server_ns, schedule);
            }
            Opening::ServerCrypto => {
                connection.opening = Opening::ServerHello;
                self.one_way(id, schedule);
            }
            Opening::ServerHello => {
                connection.opening = Opening::ClientCrypto;
                let station = connection.stations[leg];
                self.handshake_work(id, station, self.delays.tls_client_ns, schedule);
            }
            Opening::ClientCrypto if connection.tunnels[leg].is_some() => {
                connection.opening = Opening::Connect;
                self.open_tunnel(id, leg, schedule);
            }
            Opening::Tcp | Opening::ClientCrypto | Opening::Connect => {
                self.finish_leg(id, schedule);
            }
            Opening::TunnelWait => unreachable!("who waits is woken by the tunnel"),
        }
    }

    /// One side of a TLS handshake computes. An application, whose threads belong to no
    /// connection, takes the mean time for it and burns no CPU that is counted.
    fn handshake_work(
        &mut self,
        id: ConnectionId,
        station: u32,
        cpu_ns: f64,
        schedule: &mut Schedule<Event>,
    ) {
        if station == NO_STATION {
            schedule.after(
                SimDuration::from_nanos(cpu_ns as u64),
                Event::HandshakeArrived { connection: id },
            );
            return;
        }
        let process = &mut self.processes[self.stations[station as usize].process as usize];
        let forward = self.delays.work_spread.draw(cpu_ns, &mut process.work_rng);
        let work = Work {
            job: Job::Handshake(id),
            forward,
            afterwards: SimDuration::ZERO,
            arrived: schedule.now(),
        };
        self.admit(station, work, schedule);
    }

    fn finish_leg(&mut self, id: ConnectionId, schedule: &mut Schedule<Event>) {
        let connection = self.connections.get_mut(id).expect("a connection being opened exists");
        connection.opening_leg += 1;
        if connection.opening_leg + 1 < connection.length {
            self.begin_leg(id, schedule);
            return;
        }
        let pool = &mut self.pools[connection.pool as usize];
        pool.connecting -= 1;
        if let Some(timeout) = pool.idle_timeout {
            schedule.after(timeout, Event::IdleTimeoutDue { connection: id });
        }
        self.offer(id, schedule);
    }
}

impl Connection {
    /// A connection of `pool` that goes nowhere yet.
    fn new(pool: u32, counted_at: [Option<(u32, u32)>; 3]) -> Self {
        Self {
            pool,
            stations: [NO_STATION; MOST_STATIONS],
            legs: [Leg::default(); MOST_STATIONS - 1],
            tunnels: [None; MOST_STATIONS - 1],
            length: 0,
            server: 0,
            ends_inbound: false,
            endpoint: NO_POD,
            counted_at,
            is_closing: false,
            opening_leg: 0,
            opening: Opening::Tcp,
            is_listed: false,
            streams: 0,
            idle_since: SimTime::ZERO,
        }
    }
}
