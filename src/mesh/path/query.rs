//! What decides a path: who calls, what is addressed, what stands in between.

use serde::{Deserialize, Serialize};

use crate::mesh::Enrolment;
use crate::mesh::protocol::Protocol;

/// How the mesh captures a pod's traffic.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DataPlane {
    /// Not in the mesh.
    #[default]
    None,
    /// An Envoy in the pod.
    Sidecar,
    /// The node's ztunnel.
    Ambient,
}

/// Where a request comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Client {
    /// A pod of the cluster.
    Pod(DataPlane),
    /// Outside the cluster, through the cloud's load balancer.
    External,
}

/// What the client dials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Addressed {
    /// The Service, by name or ClusterIP.
    Service,
    /// One pod, by its IP.
    PodIp,
}

/// Which traffic a waypoint handles: its label `istio.io/waypoint-for`.
///
/// `none` is the absence of a waypoint here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WaypointFor {
    /// Traffic addressed to Services; Istio's default.
    Service,
    /// Traffic addressed to pod IPs.
    Workload,
    /// Both.
    All,
}

impl WaypointFor {
    /// Whether a waypoint of this kind handles what is addressed as `addressed`.
    pub const fn handles(self, addressed: Addressed) -> bool {
        matches!(
            (self, addressed),
            (Self::All, _)
                | (Self::Service, Addressed::Service)
                | (Self::Workload, Addressed::PodIp)
        )
    }
}

/// What a gateway's listener expects from its clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GatewayListener {
    /// Plaintext HTTP on port 80.
    Http,
    /// TLS on port 443, which the gateway ends.
    Tls,
    /// Istio mutual TLS on port 443 (`tls.mode: ISTIO_MUTUAL`).
    IstioMutual,
}

/// A gateway between client and server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Gateway {
    /// How clients reach it.
    pub listener: GatewayListener,
    /// Whether its pods accept HBONE on 15008 (label `networking.istio.io/tunnel: http`).
    pub accepts_hbone: bool,
    /// Whether the called Service, or its namespace, has `istio.io/ingress-use-waypoint: "true"`.
    pub use_waypoint: bool,
}

impl Gateway {
    /// A gateway reached through `listener`, without HBONE and past any waypoint.
    pub const fn new(listener: GatewayListener) -> Self {
        Self { listener, accepts_hbone: false, use_waypoint: false }
    }
}

/// Everything that decides which way a request takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PathQuery {
    /// Who calls.
    pub client: Client,
    /// How the server's pods are captured.
    pub server: DataPlane,
    /// Whether the server's sidecars accept HBONE on 15008 (label
    /// `networking.istio.io/tunnel: http`, which injection adds when the mesh was installed
    /// with `ISTIO_META_ENABLE_HBONE`, as the ambient profile does). Irrelevant without sidecars.
    pub server_accepts_hbone: bool,
    /// What the client dials. Irrelevant from outside and through a gateway, which both go to a
    /// Service.
    pub addressed: Addressed,
    /// The waypoint bound to what is addressed (to the Service behind a gateway), if any.
    pub waypoint: Option<WaypointFor>,
    /// The gateway in between, if any. From outside it stands behind the load balancer, from a
    /// pod it is called by its own Service.
    pub gateway: Option<Gateway>,
    /// The protocol of the port, as the mesh understands it. [`Protocol::Auto`] is taken to
    /// carry HTTP, which detection finds; look other traffic up as [`Protocol::Tcp`].
    pub protocol: Protocol,
    /// Whether some Service that the client's sidecar knows has an HTTP port of the number
    /// dialled. Decides how a sidecar treats a pod IP: with such a port its listener parses
    /// the request before passing it through; without, it passes bytes.
    pub http_service_on_port: bool,
}

impl PathQuery {
    /// An HTTP call without waypoint or gateway, on a port that some HTTP Service uses, to
    /// sidecars without the HBONE label.
    pub const fn new(client: Client, server: DataPlane, addressed: Addressed) -> Self {
        Self {
            client,
            server,
            server_accepts_hbone: false,
            addressed,
            waypoint: None,
            gateway: None,
            protocol: Protocol::Http,
            http_service_on_port: true,
        }
    }

    /// The same question about a server that is enrolled like this.
    pub fn to_server(self, enrolment: &Enrolment) -> Self {
        Self { server: enrolment.data_plane, server_accepts_hbone: enrolment.hbone, ..self }
    }

    /// What is addressed in effect: always a Service from outside or through a gateway.
    pub(super) fn addressed_in_effect(&self) -> Addressed {
        if self.gateway.is_some() || self.client == Client::External {
            Addressed::Service
        } else {
            self.addressed
        }
    }

    /// Whether the request crosses the waypoint.
    ///
    /// An ambient client's ztunnel goes to it whenever it handles what is addressed; a
    /// gateway only when told to; a sidecar, and a client outside the mesh, never.
    pub fn crosses_waypoint(&self) -> bool {
        let asked = match self.gateway {
            Some(gateway) => gateway.use_waypoint,
            None => self.client == Client::Pod(DataPlane::Ambient),
        };
        asked && self.waypoint.is_some_and(|kind| kind.handles(self.addressed_in_effect()))
    }
}
