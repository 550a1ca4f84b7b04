//! The way a request takes from client to server, hop by hop.
//!
//! [`PATHS`] is the path table as data, 26 rows for the data planes of client and server, for
//! what is addressed, and for gateways and waypoints in between. [`lookup`] finds the row for a
//! [`PathQuery`], or puts an unlisted combination together by the same rules, and bends the hops
//! to the port's protocol: what the mesh cannot parse keeps its hops and loses requests,
//! retries, L7 policy and L7 metrics.
//!
//! A path says who *can* do a thing at Istio's defaults, not what is configured. Addresses,
//! costs and pool sizes are elsewhere. East-west gateways between networks are left out.
//!
//! Sources stand with the hops in `path/parts.rs` and the rules in `path/compose.rs`.

mod compose;
mod hop;
mod notes;
mod parts;
mod query;
mod table;

use serde::Serialize;

use super::protocol::Protocol;

pub use hop::{
    Actor, Balancing, Choice, Chosen, Hop, Layer, Measurement, Per, Place, Reporter, Retries, Wire,
};
pub use query::{Addressed, Client, DataPlane, Gateway, GatewayListener, PathQuery, WaypointFor};
pub use table::{Between, PATHS, PathRow, Waypoints};

/// The path of one query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Path {
    /// What was asked.
    pub query: PathQuery,
    /// The row of the table, 1 to 26; `None` if the combination was composed.
    pub number: Option<u8>,
    /// The hops in the order a request passes them. The last is the server's application; the
    /// first is the client's, or the load balancer when the client is outside.
    pub hops: Vec<Hop>,
    /// What to know about this path, in sentences, the gravest first.
    pub notes: Vec<&'static str>,
}

/// One connection of a path: opened by one end, accepted by another, relayed by those between.
///
/// Ends are the applications and every hop that parses the traffic; ztunnels, load balancers,
/// kube-proxy and Envoys that cannot parse it are relays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Index of the hop that opens it; `None` for a client outside the cluster.
    pub from: Option<usize>,
    /// Index of the hop that accepts it. The relays are the hops between the two.
    pub to: usize,
}

/// Whose certificate a peer presents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Identity {
    /// The calling workload's.
    Client,
    /// The gateway's.
    Gateway,
    /// The waypoint's.
    Waypoint,
}

/// The path of `query`: a row of the table, or composed by the table's rules.
pub fn lookup(query: &PathQuery) -> Path {
    let captured = captured(query);
    let row = PATHS.iter().find(|row| query.protocol != Protocol::Udp && row.covers(&captured));
    let mut hops = row.map_or_else(|| compose::compose(&captured), |row| row.hops.to_vec());
    if let Some(gateway) = captured.gateway {
        compose::enter_gateway(&mut hops, gateway);
    }
    bend_to_protocol(&mut hops, query);
    let mut path = Path { query: *query, number: row.map(|row| row.number), hops, notes: vec![] };
    path.notes = notes::notes(&path);
    path
}

/// The query as the mesh sees it: of datagrams it sees nothing.
fn captured(query: &PathQuery) -> PathQuery {
    if query.protocol != Protocol::Udp {
        return *query;
    }
    let client = match query.client {
        Client::Pod(_) => Client::Pod(DataPlane::None),
        Client::External => Client::External,
    };
    PathQuery { client, server: DataPlane::None, gateway: None, waypoint: None, ..*query }
}

fn bend_to_protocol(hops: &mut [Hop], query: &PathQuery) {
    let opaque = !(query.protocol.is_http() || query.protocol == Protocol::Auto);
    for hop in hops {
        let blind_passthrough = hop.actor == Actor::ClientSidecar
            && hop.chooses.is_none()
            && !query.http_service_on_port;
        if opaque || blind_passthrough {
            *hop = hop.opaque();
        }
        if query.protocol.is_application_tls() && hop.arrives == Some(Wire::Plain) {
            hop.arrives = Some(Wire::ClientTls);
        }
    }
}

impl Path {
    /// How often a proxy parses the request as HTTP.
    pub fn l7_parses(&self) -> usize {
        self.hops.iter().filter(|hop| hop.actor.is_envoy() && hop.layer == Layer::L7).count()
    }

    /// How many segments the mesh encrypts: each costs an encryption and a decryption per
    /// direction, and a handshake when no pooled connection is at hand. A client's own TLS is
    /// not among them.
    pub fn encrypted_segments(&self) -> usize {
        self.arrivals().filter(|(_, wire)| wire.is_mesh_encrypted()).count()
    }

    /// How many segments cross from node to node when every pod has a node of its own. From
    /// outside, the load balancer's segment into the cluster counts, the one before it does not.
    pub fn cross_node_segments_at_most(&self) -> usize {
        let may_cross =
            |pair: &&[Hop]| pair[0].node != pair[1].node || pair[0].node == Place::Anywhere;
        self.hops.windows(2).filter(may_cross).count()
    }

    /// How often a ztunnel copies the bytes.
    pub fn ztunnel_passes(&self) -> usize {
        self.hops.iter().filter(|hop| hop.actor.is_ztunnel()).count()
    }

    /// Whether something other than mesh mTLS reaches the server's proxy, which
    /// PeerAuthentication STRICT refuses. False where the server has no proxy.
    pub fn needs_permissive(&self) -> bool {
        self.arrivals().any(|(hop, wire)| {
            matches!(hop.actor, Actor::ServerSidecar | Actor::ServerZtunnel)
                && !wire.is_mesh_encrypted()
        })
    }

    /// Whether a waypoint is bound to what is addressed and the path does not cross it.
    pub fn bypasses_waypoint(&self) -> bool {
        self.query.waypoint.is_some() && !self.hops.iter().any(|hop| hop.actor == Actor::Waypoint)
    }

    /// The identity that the hop at `index` can authorise: that of the certificate presented to
    /// it. `None` without mesh encryption, and beyond the end of the path.
    ///
    /// ztunnel presents the certificate of the pod whose connection it carries; a gateway and a
    /// waypoint present their own. A waypoint sees the client's, the server behind it does not.
    pub fn peer_identity(&self, index: usize) -> Option<Identity> {
        let wire = self.hops.get(index)?.arrives?;
        let sender = self.hops.get(index.checked_sub(1)?)?;
        wire.is_mesh_encrypted().then_some(match sender.actor {
            Actor::Gateway => Identity::Gateway,
            Actor::Waypoint => Identity::Waypoint,
            _ => Identity::Client,
        })
    }

    /// The path as the connections it consists of, in order.
    pub fn connections(&self) -> Vec<Connection> {
        let last = self.hops.len().saturating_sub(1);
        let mut from = None;
        let mut connections = Vec::new();
        for (index, hop) in self.hops.iter().enumerate() {
            let begins = hop.actor == Actor::ClientApp;
            let parses = hop.actor.is_envoy() && hop.layer == Layer::L7;
            if parses || index == last {
                connections.push(Connection { from, to: index });
            }
            if begins || parses {
                from = Some(index);
            }
        }
        connections
    }

    fn arrivals(&self) -> impl Iterator<Item = (&Hop, Wire)> {
        self.hops.iter().filter_map(|hop| hop.arrives.map(|wire| (hop, wire)))
    }
}

#[cfg(test)]
mod tests;
