//! Connections, the pools that keep them, and the HBONE tunnels that carry them.
//!
//! A connection here joins two HTTP speakers: application, Envoy, application. Proxies
//! that only pass bytes (ztunnels; Envoys on a TCP port) stand in between and belong to it,
//! because they stay on it for as long as it lives.

use std::collections::VecDeque;

use crate::cluster::kube_proxy::EndpointChoice;
use crate::engine::Stream;
use crate::units::{SimDuration, SimTime};

use super::event::{ConnectionId, ExchangeId};

/// Most processes that one connection runs through: client, gateway, waypoint, two ztunnels
/// or sidecars and the server.
pub(crate) const MOST_STATIONS: usize = 6;

/// No pod chosen yet.
pub(crate) const NO_POD: u32 = u32::MAX;

/// No pool or cluster yet.
pub(crate) const ABSENT: u32 = u32::MAX;

/// No station: an application, whose threads are not bound to connections.
pub(crate) const NO_STATION: u32 = u32::MAX;

/// How far apart two neighbours on a path are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Distance {
    /// Two containers of a pod, or a pod and the ztunnel that listens inside it.
    #[default]
    SamePod,
    /// Two pods of a node.
    SameNode,
    /// Two nodes of a zone.
    SameZone,
    /// Two zones.
    CrossZone,
}

/// What has to happen before bytes can pass a leg.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Setup {
    /// TCP handshake.
    #[default]
    Tcp,
    /// TCP, then TLS.
    Mtls,
    /// A stream on an HBONE tunnel, which may have to be opened first.
    Hbone,
}

/// One neighbour-to-neighbour part of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Leg {
    /// How far it reaches.
    pub(crate) distance: Distance,
    /// How it is opened.
    pub(crate) setup: Setup,
    /// Whether its first packet runs through kube-proxy's rules.
    pub(crate) kube_proxy: bool,
}

/// Where a connection that is being opened has got to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// SYN and SYN-ACK of a leg are under way.
    Tcp,
    /// The client hello is under way.
    ClientHello,
    /// The server computes.
    ServerCrypto,
    /// The server's half is under way back.
    ServerHello,
    /// The client computes.
    ClientCrypto,
    /// CONNECT and its answer are under way.
    Connect,
    /// Another connection opens the tunnel that this one needs too.
    TunnelWait,
}

/// A connection between two HTTP speakers.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    /// The pool that opened it.
    pub(crate) pool: u32,
    /// The stations it runs through, client first; the first `length` count.
    pub(crate) stations: [u32; MOST_STATIONS],
    /// The legs between them.
    pub(crate) legs: [Leg; MOST_STATIONS - 1],
    /// The tunnels that carry its HBONE legs, by leg.
    pub(crate) tunnels: [Option<u32>; MOST_STATIONS - 1],
    /// Stations in use, at least 2.
    pub(crate) length: u8,
    /// The process at its server end.
    pub(crate) server: u32,
    /// Whether that is the proxy in front of its own application.
    pub(crate) ends_inbound: bool,
    /// The pod that serves its requests, once it is known.
    pub(crate) endpoint: u32,
    /// Upstream clusters and hosts whose `active` count it, because they chose it whole.
    pub(crate) counted_at: [Option<(u32, u32)>; 3],
    /// Whether it takes no further requests.
    pub(crate) is_closing: bool,
    /// The leg being opened.
    pub(crate) opening_leg: u8,
    /// How far that is.
    pub(crate) opening: Opening,
    /// Whether it stands in the pool's list of those with room.
    pub(crate) is_listed: bool,
    /// Requests on it.
    pub(crate) streams: u32,
    /// Since when it has carried none.
    pub(crate) idle_since: SimTime,
}

/// The connections of one client to one destination.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    /// The process that opens its connections.
    pub(crate) owner: u32,
    /// Where its connections start; [`NO_STATION`] for an application.
    pub(crate) station: u32,
    /// Whether the owner is the proxy in front of its own application.
    pub(crate) starts_inbound: bool,
    /// The route that tells how to get to the destination.
    pub(crate) route: u32,
    /// The stage of that route.
    pub(crate) stage: u8,
    /// The pod its connections lead to, if that was chosen for a request.
    pub(crate) host: Option<u32>,
    /// Open connections with room, the one used last at the end.
    pub(crate) idle: Vec<ConnectionId>,
    /// Requests waiting for a connection.
    pub(crate) pending: VecDeque<ExchangeId>,
    /// Connections being opened.
    pub(crate) connecting: u32,
    /// Connections open or being opened.
    pub(crate) connections: u32,
    /// Most connections.
    pub(crate) max_connections: u32,
    /// Most requests at once on a connection: 1 for HTTP/1.1.
    pub(crate) max_streams: u32,
    /// Whether a connection may serve more than one request.
    pub(crate) keep_alive: bool,
    /// How long an idle connection is kept; `None` is for ever.
    pub(crate) idle_timeout: Option<SimDuration>,
}

/// Where a tunnel starts and leads: station, source pod (of a ztunnel), destination pod.
pub(crate) type TunnelKey = (u32, u32, u32);

/// An HTTP/2 connection that carries other connections as CONNECT streams.
#[derive(Clone, Debug)]
pub(crate) struct Tunnel {
    /// Where it starts and leads.
    pub(crate) key: TunnelKey,
    /// The station that takes its streams at the far end.
    pub(crate) far_station: u32,
    /// Whether its handshake is under way or done.
    pub(crate) is_opening: bool,
    /// Whether streams can start.
    pub(crate) is_open: bool,
    /// Streams on it.
    pub(crate) streams: u32,
    /// Since when it has carried none.
    pub(crate) idle_since: SimTime,
    /// How long it is kept without streams.
    pub(crate) idle_timeout: SimDuration,
    /// Connections that wait until it is open.
    pub(crate) waiting: Vec<ConnectionId>,
}

/// How a destination is chosen among several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Balancing {
    /// Envoy's and so Istio's default: the less busy of two drawn at random.
    LeastRequest,
    /// Any, with equal chances: a ztunnel, a load balancer.
    Random,
    /// kube-proxy, by its mode.
    KubeProxy,
}

/// A possible destination, as one chooser sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Host {
    /// The pod.
    pub(crate) pod: u32,
    /// Requests (per-connection choosers: connections) it has from this chooser.
    pub(crate) active: u32,
}

/// The destinations of one service port, waypoint or gateway as one chooser sees them.
#[derive(Clone, Debug)]
pub(crate) struct UpstreamCluster {
    /// How one is chosen.
    pub(crate) balancing: Balancing,
    /// Those to choose from.
    pub(crate) hosts: Vec<Host>,
    /// IPVS' position in the ring.
    pub(crate) choice: EndpointChoice,
    /// Draws.
    pub(crate) rng: Stream,
    /// Pools per host and worker of an Envoy, host by host; empty where connections choose.
    pub(crate) pools: Vec<u32>,
    /// The first thread of that Envoy.
    pub(crate) first_station: u32,
    /// Workers of that Envoy.
    pub(crate) workers: u32,
}

impl UpstreamCluster {
    /// `pods` as one chooser sees them, whose workers are `(first station, count)`.
    pub(crate) fn new(
        balancing: Balancing,
        pods: &[u32],
        (first_station, workers): (u32, u32),
        rng: Stream,
    ) -> Self {
        Self {
            balancing,
            hosts: pods.iter().map(|&pod| Host { pod, active: 0 }).collect(),
            choice: EndpointChoice::default(),
            rng,
            pools: vec![ABSENT; pods.len() * workers as usize],
            first_station,
            workers,
        }
    }

    /// Where [`UpstreamCluster::pools`] holds the pool of worker `station` to `host`.
    pub(crate) fn pool_place(&self, host: u32, station: u32) -> usize {
        (host * self.workers + (station - self.first_station)) as usize
    }
}

impl Pool {
    /// An empty pool without limits, of nobody yet.
    pub(crate) fn unlimited() -> Self {
        Self {
            owner: 0,
            station: NO_STATION,
            starts_inbound: false,
            route: 0,
            stage: 0,
            host: None,
            idle: Vec::new(),
            pending: VecDeque::new(),
            connecting: 0,
            connections: 0,
            max_connections: u32::MAX,
            max_streams: 1,
            keep_alive: true,
            idle_timeout: None,
        }
    }
}
