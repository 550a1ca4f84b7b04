//! Paths the table does not list, put together by the rules that its rows follow.
//!
//! The rules (Istio 1.31):
//!
//! - *Who starts.* Outside the mesh kube-proxy turns a Service into a pod; a sidecar and a
//!   ztunnel replace the Service's IP themselves. A pod IP leaves nobody a choice, and a sidecar
//!   passes it through.
//! - *Waypoint.* [`PathQuery::crosses_waypoint`].
//! - *Protection.* To an ambient pod every mesh proxy opens HBONE. To a sidecar an Envoy opens
//!   Istio mutual TLS, while ztunnel and waypoint know HBONE only and fall back to plaintext
//!   (istio/istio `cluster_waypoint.go`: no transport socket matches, `ISTIO_MUTUAL` ignored).
//!   To a pod outside the mesh, and from anyone who does not know the endpoint, plaintext.
//! - *Datagrams* are not captured: the path is that of pods without a mesh.

use super::hop::{Actor, Chosen, Hop, Wire};
use super::parts::{
    A, A_DIALS_POD, CE, CE_PASSES, CZ, CZ_PICKS, GATEWAY_HTTP, GATEWAY_TLS, GW, HBONE, KP, LB,
    LB_TO_PODS, S, SE, SE_HBONE, SE_PLAIN, SZ, SZ_PLAIN, W, W_FIXED,
};
use super::query::{Addressed, Client, DataPlane, Gateway, GatewayListener, PathQuery};

/// The hops of `query` by the rules above, before protocol and gateway listener bend them.
pub(super) fn compose(query: &PathQuery) -> Vec<Hop> {
    let mut hops = start(query);
    if query.gateway.is_some() {
        hops.push(GW.among(next_after_gateway(query)));
    }
    if query.crosses_waypoint() {
        hops.push(match query.addressed_in_effect() {
            Addressed::Service => W,
            Addressed::PodIp => W_FIXED,
        });
    }
    hops.extend(arrive(hops.last().copied(), query));
    hops.push(S);
    hops
}

/// The hops on the client's side.
fn start(query: &PathQuery) -> Vec<Hop> {
    let target = match query.gateway {
        Some(_) => Chosen::GatewayPod,
        None => next_after_gateway(query),
    };
    match (query.client, query.addressed_in_effect()) {
        (Client::External, _) if query.gateway.is_some() => vec![LB],
        (Client::External, _) => vec![LB_TO_PODS],
        (Client::Pod(DataPlane::None), Addressed::Service) => vec![A, KP.among(target)],
        (Client::Pod(DataPlane::None), Addressed::PodIp) => vec![A_DIALS_POD],
        (Client::Pod(DataPlane::Sidecar), Addressed::Service) => vec![A, CE.among(target)],
        (Client::Pod(DataPlane::Sidecar), Addressed::PodIp) => vec![A_DIALS_POD, CE_PASSES],
        (Client::Pod(DataPlane::Ambient), Addressed::Service) => vec![A, CZ_PICKS.among(target)],
        (Client::Pod(DataPlane::Ambient), Addressed::PodIp) => {
            let cz = if query.crosses_waypoint() { CZ_PICKS.among(target) } else { CZ };
            vec![A_DIALS_POD, cz]
        }
    }
}

fn next_after_gateway(query: &PathQuery) -> Chosen {
    if query.crosses_waypoint() { Chosen::WaypointPod } else { Chosen::ServerPod }
}

/// The proxy at the server's side, if any, as `sender` reaches it.
fn arrive(sender: Option<Hop>, query: &PathQuery) -> Option<Hop> {
    let knows_endpoint = sender.is_some_and(|hop| {
        (hop.actor.is_envoy() && hop != CE_PASSES) || hop.actor == Actor::ClientZtunnel
    });
    let speaks_hbone_only =
        sender.is_some_and(|hop| matches!(hop.actor, Actor::ClientZtunnel | Actor::Waypoint));
    match query.server {
        DataPlane::None => None,
        DataPlane::Ambient if knows_endpoint => Some(SZ),
        DataPlane::Ambient => Some(SZ_PLAIN),
        DataPlane::Sidecar if !knows_endpoint => Some(SE_PLAIN),
        DataPlane::Sidecar if !speaks_hbone_only => Some(SE),
        DataPlane::Sidecar if query.server_accepts_hbone => Some(SE_HBONE),
        DataPlane::Sidecar => Some(SE_PLAIN),
    }
}

/// Bends the hops up to the gateway to the way its listener is reached.
pub(super) fn enter_gateway(hops: &mut [Hop], gateway: Gateway) {
    let Some(at) = hops.iter().position(|hop| hop.actor == Actor::Gateway) else { return };
    let sender = at.checked_sub(1).map(|before| hops[before].actor);
    let (port, wire) = entry(sender, gateway);
    hops[at] = hops[at].reached(port, wire);
    let before =
        if gateway.listener == GatewayListener::Tls { Wire::ClientTls } else { Wire::Plain };
    for hop in &mut hops[..at] {
        if hop.actor == Actor::LoadBalancer {
            hop.port = Some(port);
        }
        if hop.actor == Actor::ClientSidecar && before == Wire::ClientTls {
            *hop = hop.opaque();
        }
        hop.arrives = hop.arrives.map(|_| before);
    }
}

/// The port of the gateway and the protection of the segment that `sender` opens to it.
fn entry(sender: Option<Actor>, gateway: Gateway) -> (u16, Wire) {
    use GatewayListener::{Http, IstioMutual, Tls};
    let mesh_proxy = matches!(sender, Some(Actor::ClientSidecar | Actor::ClientZtunnel));
    match (gateway.listener, sender) {
        (IstioMutual, Some(Actor::ClientSidecar)) => (GATEWAY_TLS, Wire::Mtls),
        _ if gateway.accepts_hbone && mesh_proxy => (HBONE, Wire::Hbone),
        (Http, _) => (GATEWAY_HTTP, Wire::Plain),
        (Tls, _) => (GATEWAY_TLS, Wire::ClientTls),
        // Nobody but a sidecar originates Istio mutual TLS; what arrives is refused.
        (IstioMutual, _) => (GATEWAY_TLS, Wire::Plain),
    }
}
