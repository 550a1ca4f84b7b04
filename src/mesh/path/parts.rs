//! The hops that paths are put together from, named as the path table names them.
//!
//! Each constant is a process in its usual role on an HTTP port. Sources: istio.io "Data plane
//! architecture" (ambient), "Application Requirements" (ports), "Standard metrics"; istio/ztunnel
//! `ARCHITECTURE.md`, `src/proxy/{inbound,outbound}.rs`, `src/state.rs`; istio/istio
//! `pilot/pkg/xds/endpoints/endpoint_builder.go`, `pilot/pkg/networking/core/{listener,cluster}_waypoint.go`
//! (all 1.31).

use super::hop::{Actor, Balancing, Chosen, Hop, Layer, Per, Place, Reporter, Retries, Wire};

/// Where iptables turns outbound connections of a captured pod.
pub(super) const OUTBOUND: u16 = 15001;
/// Where iptables turns inbound connections of a captured pod.
pub(super) const INBOUND: u16 = 15006;
/// Where HBONE arrives, in ztunnels, waypoints and sidecars alike.
pub(super) const HBONE: u16 = 15008;
/// The port of a gateway's TLS listener.
pub(super) const GATEWAY_TLS: u16 = 443;
/// The port of a gateway's plaintext listener.
pub(super) const GATEWAY_HTTP: u16 = 80;

/// The calling application.
pub(super) const A: Hop =
    Hop::new(Actor::ClientApp, Place::Client, Layer::L7).where_the_request_begins();

/// The calling application that dials a pod's IP and so has chosen the endpoint.
pub(super) const A_DIALS_POD: Hop =
    A.choosing(Chosen::ServerPod, Per::Connection, Balancing::Caller);

/// kube-proxy's rules on the caller's node.
pub(super) const KP: Hop = Hop::new(Actor::KubeProxy, Place::Client, Layer::L4).choosing(
    Chosen::ServerPod,
    Per::Connection,
    Balancing::KubeProxyRandom,
);

/// The client's Envoy, calling a Service it knows.
pub(super) const CE: Hop = Hop::new(Actor::ClientSidecar, Place::Client, Layer::L7)
    .reached(OUTBOUND, Wire::Plain)
    .choosing(Chosen::ServerPod, Per::Request, Balancing::LeastRequest)
    .retrying(Retries::AnotherEndpoint)
    .ejecting()
    .measuring(Reporter::Source);

/// The client's Envoy, choosing a pod of a gateway.
pub(super) const CE_PICKS_GW: Hop = CE.among(Chosen::GatewayPod);

/// The client's Envoy passing on to an address it does not know (`PassthroughCluster`): it
/// measures, and decides nothing.
pub(super) const CE_PASSES: Hop = Hop::new(Actor::ClientSidecar, Place::Client, Layer::L7)
    .reached(OUTBOUND, Wire::Plain)
    .measuring(Reporter::Source);

/// The client node's ztunnel, going where it was told.
pub(super) const CZ: Hop = Hop::new(Actor::ClientZtunnel, Place::Client, Layer::L4)
    .reached(OUTBOUND, Wire::Plain)
    .measuring(Reporter::Source);

/// The client node's ztunnel, choosing a pod of the Service.
pub(super) const CZ_PICKS: Hop =
    CZ.choosing(Chosen::ServerPod, Per::Connection, Balancing::WeightedRandom);

/// The client node's ztunnel, choosing a pod of the waypoint.
pub(super) const CZ_PICKS_W: Hop = CZ_PICKS.among(Chosen::WaypointPod);

/// The client node's ztunnel, choosing a pod of a gateway.
pub(super) const CZ_PICKS_GW: Hop = CZ_PICKS.among(Chosen::GatewayPod);

/// The load balancer in front of the cluster, passing the client's TLS on to a gateway pod.
pub(super) const LB: Hop = Hop::new(Actor::LoadBalancer, Place::Outside, Layer::L4)
    .reached(GATEWAY_TLS, Wire::ClientTls)
    .choosing(Chosen::GatewayPod, Per::Connection, Balancing::FlowHash);

/// A load balancer that sends straight to the server's pods; TLS, if any, is the application's.
pub(super) const LB_TO_PODS: Hop = Hop::new(Actor::LoadBalancer, Place::Outside, Layer::L4)
    .choosing(Chosen::ServerPod, Per::Connection, Balancing::FlowHash);

/// A gateway's Envoy behind its TLS listener.
///
/// AuthorizationPolicies that select the gateway are enforced here.
pub(super) const GW: Hop = Hop::new(Actor::Gateway, Place::Anywhere, Layer::L7)
    .reached(GATEWAY_TLS, Wire::ClientTls)
    .choosing(Chosen::ServerPod, Per::Request, Balancing::LeastRequest)
    .retrying(Retries::AnotherEndpoint)
    .ejecting()
    .authorising()
    .measuring(Reporter::Source);

/// A gateway that goes to the Service's waypoint.
pub(super) const GW_PICKS_W: Hop = GW.among(Chosen::WaypointPod);

/// A gateway whose listener takes Istio mutual TLS.
pub(super) const GW_MTLS: Hop = GW.reached(GATEWAY_TLS, Wire::Mtls);

/// A gateway whose listener takes plaintext.
pub(super) const GW_HTTP: Hop = GW.reached(GATEWAY_HTTP, Wire::Plain);

/// A gateway whose listener takes plaintext and that goes to the Service's waypoint.
pub(super) const GW_HTTP_PICKS_W: Hop = GW_HTTP.among(Chosen::WaypointPod);

/// A waypoint's Envoy, choosing a pod of the Service.
pub(super) const W: Hop = Hop::new(Actor::Waypoint, Place::Anywhere, Layer::L7)
    .reached(HBONE, Wire::Hbone)
    .choosing(Chosen::ServerPod, Per::Request, Balancing::LeastRequest)
    .retrying(Retries::AnotherEndpoint)
    .ejecting()
    .authorising()
    .measuring(Reporter::Waypoint);

/// A waypoint's Envoy for traffic addressed to one pod: nothing to choose, nothing to eject.
pub(super) const W_FIXED: Hop = Hop::new(Actor::Waypoint, Place::Anywhere, Layer::L7)
    .reached(HBONE, Wire::Hbone)
    .retrying(Retries::SameEndpoint)
    .authorising()
    .measuring(Reporter::Waypoint);

/// The server node's ztunnel at the end of an HBONE tunnel.
pub(super) const SZ: Hop = Hop::new(Actor::ServerZtunnel, Place::Server, Layer::L4)
    .reached(HBONE, Wire::Hbone)
    .authorising()
    .measuring(Reporter::Destination);

/// The server node's ztunnel reached in plaintext.
pub(super) const SZ_PLAIN: Hop = SZ.reached(INBOUND, Wire::Plain);

/// The server's Envoy behind Istio mutual TLS.
pub(super) const SE: Hop = Hop::new(Actor::ServerSidecar, Place::Server, Layer::L7)
    .reached(INBOUND, Wire::Mtls)
    .retrying(Retries::LocalApp)
    .authorising()
    .measuring(Reporter::Destination);

/// The server's Envoy reached in plaintext.
pub(super) const SE_PLAIN: Hop = SE.reached(INBOUND, Wire::Plain);

/// The server's Envoy at the end of an HBONE tunnel.
pub(super) const SE_HBONE: Hop = SE.reached(HBONE, Wire::Hbone);

/// The application that answers.
pub(super) const S: Hop = Hop::new(Actor::ServerApp, Place::Server, Layer::L7);
