//! What to know about a path, in sentences, derived from its hops.
//!
//! Derived and not written beside the rows, so that they hold for combinations that the table
//! does not list, and vanish where the protocol takes their ground away.

use super::{
    Actor, Addressed, Client, DataPlane, GatewayListener, Hop, Identity, Layer, Path, Retries,
    WaypointFor, Wire,
};
use crate::mesh::protocol::Protocol;

/// The sentences that hold for `path`, the gravest first.
pub(super) fn notes(path: &Path) -> Vec<&'static str> {
    let all = [
        datagrams(path),
        refused_by_gateway(path),
        refused_by_strict(path),
        past_the_waypoint(path),
        identity(path),
        passed_through(path),
        no_hbone(path),
        retries_multiply(path),
        one_endpoint(path),
    ];
    all.into_iter().flatten().collect()
}

fn datagrams(path: &Path) -> Option<&'static str> {
    (path.query.protocol == Protocol::Udp).then_some("Datagrams are not captured by the mesh.")
}

fn refused_by_gateway(path: &Path) -> Option<&'static str> {
    let listener = path.query.gateway?.listener;
    let gateway = find(path, Actor::Gateway)?;
    (listener == GatewayListener::IstioMutual && gateway.arrives != Some(Wire::Mtls))
        .then_some("The gateway wants Istio mutual TLS, which only a sidecar opens: it refuses.")
}

fn refused_by_strict(path: &Path) -> Option<&'static str> {
    path.needs_permissive()
        .then_some("Plaintext reaches the server's proxy: PeerAuthentication STRICT refuses it.")
}

/// That the waypoint's L7 policy does not apply, and why.
fn past_the_waypoint(path: &Path) -> Option<&'static str> {
    let kind = path.query.waypoint.filter(|_| path.bypasses_waypoint())?;
    if path.query.protocol == Protocol::Udp {
        return None;
    }
    Some(match (path.query.client, path.query.gateway, kind) {
        (_, None, WaypointFor::Service) if path.query.addressed_in_effect() == Addressed::PodIp => {
            "The waypoint is for Services and does not see calls to pod IPs: its policy is not \
             applied."
        }
        (_, _, WaypointFor::Workload) if path.query.addressed_in_effect() == Addressed::Service => {
            "The waypoint is for workloads and does not see calls to Services: its policy is not \
             applied."
        }
        (_, Some(_), _) => {
            "The gateway goes straight to the pods: the waypoint's policy is not applied unless \
             the Service is labelled istio.io/ingress-use-waypoint."
        }
        (Client::Pod(DataPlane::Sidecar), ..) => {
            "The client's sidecar goes straight to the pods: the waypoint's policy is not applied."
        }
        _ => "The client is not in the mesh: the waypoint's policy is not applied.",
    })
}

/// Whose identity the server's policies see, where it is not the caller's.
fn identity(path: &Path) -> Option<&'static str> {
    let server = |hop: &Hop| matches!(hop.actor, Actor::ServerSidecar | Actor::ServerZtunnel);
    let index = path.hops.iter().position(server)?;
    match path.peer_identity(index) {
        None => Some("The server's proxy sees no identity of the caller."),
        Some(Identity::Client) => None,
        Some(Identity::Gateway) => {
            Some("The server's proxy sees the gateway's identity, not the caller's.")
        }
        Some(Identity::Waypoint) => {
            Some("The server's proxy sees the waypoint's identity, not the caller's.")
        }
    }
}

fn passed_through(path: &Path) -> Option<&'static str> {
    let sidecar = find(path, Actor::ClientSidecar).filter(|hop| hop.chooses.is_none())?;
    Some(if sidecar.layer == Layer::L7 {
        "The client's sidecar does not know a pod IP: it parses the request, because some Service \
         has an HTTP port of that number, and passes it on without mutual TLS."
    } else {
        "The client's sidecar does not know a pod IP: it passes the bytes on without mutual TLS."
    })
}

fn no_hbone(path: &Path) -> Option<&'static str> {
    let fell_back = path.hops.windows(2).any(|pair| {
        let hbone_only = pair[0].actor == Actor::ClientZtunnel || pair[0].actor == Actor::Waypoint;
        let plain = pair[1].arrives.is_some_and(|wire| !wire.is_mesh_encrypted());
        hbone_only && plain && pair[1].actor == Actor::ServerSidecar
    });
    fell_back.then_some(
        "The server's sidecar does not accept HBONE (label networking.istio.io/tunnel), which is \
         all that ztunnel and waypoints speak.",
    )
}

fn retries_multiply(path: &Path) -> Option<&'static str> {
    let elsewhere = |hop: &&Hop| hop.retries == Some(Retries::AnotherEndpoint);
    (path.hops.iter().filter(elsewhere).count() > 1)
        .then_some("More than one proxy retries at other endpoints: their attempts multiply.")
}

fn one_endpoint(path: &Path) -> Option<&'static str> {
    path.hops
        .iter()
        .any(|hop| hop.retries == Some(Retries::SameEndpoint))
        .then_some("The waypoint has one endpoint: a retry meets the same pod.")
}

fn find(path: &Path, actor: Actor) -> Option<&Hop> {
    path.hops.iter().find(|hop| hop.actor == actor)
}
