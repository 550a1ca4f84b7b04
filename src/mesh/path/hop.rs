//! One hop of a path: which process, where, and everything it decides.

use serde::Serialize;

/// Who handles the request at a hop.
///
/// *Client* and *server* name the side of the connection, as Envoy's downstream
/// and upstream do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Actor {
    /// The calling application; the request begins here.
    ClientApp,
    /// The caller's Envoy in the same pod (container `istio-proxy`).
    ClientSidecar,
    /// The ztunnel of the caller's node, listening inside the caller's network namespace.
    ClientZtunnel,
    /// The rules kube-proxy wrote into the kernel of the caller's node. No process runs:
    /// the first packet of a connection is translated, the rest follow conntrack.
    KubeProxy,
    /// The cloud's L4 load balancer in front of the cluster, with pod IPs as targets.
    LoadBalancer,
    /// The Envoy of an ingress or internal gateway.
    Gateway,
    /// The Envoy of a waypoint.
    Waypoint,
    /// The ztunnel of the server's node, listening inside the server's network namespace.
    ServerZtunnel,
    /// The server's Envoy in the same pod (container `istio-proxy`).
    ServerSidecar,
    /// The application that answers; the path ends here.
    ServerApp,
}

impl Actor {
    /// Whether this is one of the mesh's Envoys, which parse HTTP where the protocol allows.
    pub const fn is_envoy(self) -> bool {
        matches!(self, Self::ClientSidecar | Self::Gateway | Self::Waypoint | Self::ServerSidecar)
    }

    /// Whether this is a ztunnel. Each costs one accept, one connect or pooled stream and two
    /// copy loops per connection.
    pub const fn is_ztunnel(self) -> bool {
        matches!(self, Self::ClientZtunnel | Self::ServerZtunnel)
    }
}

/// How far a hop looks into the traffic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Layer {
    /// Connections and bytes.
    L4,
    /// HTTP requests.
    L7,
}

/// How long a choice of endpoint holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    /// For all requests of one connection.
    Connection,
    /// For one attempt.
    Request,
}

/// Which node a hop runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// The caller's.
    Client,
    /// The server's.
    Server,
    /// Wherever the scheduler put it: gateways and waypoints.
    Anywhere,
    /// Not on a node of the cluster.
    Outside,
}

/// How bytes are protected on the segment that arrives at a hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wire {
    /// Not at all.
    Plain,
    /// Istio mutual TLS between two Envoys.
    Mtls,
    /// HBONE: mutual TLS around an HTTP/2 CONNECT stream.
    Hbone,
    /// TLS that the application itself began; the mesh sees ciphertext until someone ends it.
    ClientTls,
}

impl Wire {
    /// Whether the mesh encrypts this segment: the sheet's "encrypted segments".
    pub const fn is_mesh_encrypted(self) -> bool {
        matches!(self, Self::Mtls | Self::Hbone)
    }
}

/// What a choice is among.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Chosen {
    /// The pods of the gateway.
    GatewayPod,
    /// The pods of the waypoint.
    WaypointPod,
    /// The pods of the called service.
    ServerPod,
}

/// How an endpoint is chosen when nothing is configured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Balancing {
    /// The caller dialled a pod's IP.
    Caller,
    /// kube-proxy in iptables or nftables mode: uniformly random (IPVS differs: round robin).
    KubeProxyRandom,
    /// The cloud load balancer's hash over the connection's addresses.
    FlowHash,
    /// ztunnel: random, weighted by workload capacity.
    WeightedRandom,
    /// Envoy's `LEAST_REQUEST`, which is Istio's default.
    LeastRequest,
}

/// A choice of endpoint made at a hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Choice {
    /// Among which pods.
    pub of: Chosen,
    /// For how long.
    pub per: Per,
    /// By which rule.
    pub by: Balancing,
}

/// Where a retry at this hop can go. The policy itself is the route's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Retries {
    /// To an endpoint other than those that failed: Istio's default route policy.
    AnotherEndpoint,
    /// Only to the same pod, because the caller addressed that pod.
    SameEndpoint,
    /// Only to the application in the same pod: Istio's inbound policy, `reset-before-request`,
    /// two retries. It adds delay, never another host.
    LocalApp,
}

/// The `reporter` label of Istio's metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reporter {
    /// Client sidecars, client ztunnels and gateways.
    Source,
    /// Server sidecars and server ztunnels.
    Destination,
    /// Waypoints.
    Waypoint,
}

/// The metrics a hop emits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Measurement {
    /// L7: `istio_requests_total` and its kin; L4: `istio_tcp_*` only.
    pub layer: Layer,
    /// Its `reporter` label.
    pub reporter: Reporter,
}

/// One pass of the request through a process (or through the kernel's kube-proxy rules).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hop {
    /// Who.
    pub actor: Actor,
    /// On which node.
    pub node: Place,
    /// The port the connection arrives at; `None` for the client application, for the
    /// application's own port at the server, and for kube-proxy, which does not listen.
    pub port: Option<u16>,
    /// How far it looks into the traffic. Applications speak what they speak: L7 when it is HTTP.
    pub layer: Layer,
    /// Protection of the segment that arrives here; `None` where the request begins.
    /// Two segments that carry the same [`Wire::ClientTls`] past an L4 hop are one TLS session.
    pub arrives: Option<Wire>,
    /// Which endpoint it chooses, if it chooses.
    pub chooses: Option<Choice>,
    /// Whether it can retry, and where to.
    pub retries: Option<Retries>,
    /// Whether outlier detection can act here. L7: on responses and connection failures;
    /// L4: on connection failures only.
    pub ejects: Option<Layer>,
    /// Whether it enforces AuthorizationPolicy, and down to what it can see.
    pub authorises: Option<Layer>,
    /// Which metrics it emits.
    pub measures: Option<Measurement>,
}

impl Hop {
    /// A hop that only passes plaintext on. The other constructors add to it.
    pub(super) const fn new(actor: Actor, node: Place, layer: Layer) -> Self {
        Self {
            actor,
            node,
            port: None,
            layer,
            arrives: Some(Wire::Plain),
            chooses: None,
            retries: None,
            ejects: None,
            authorises: None,
            measures: None,
        }
    }

    pub(super) const fn where_the_request_begins(mut self) -> Self {
        self.arrives = None;
        self
    }

    pub(super) const fn reached(mut self, port: u16, wire: Wire) -> Self {
        self.port = Some(port);
        self.arrives = Some(wire);
        self
    }

    pub(super) const fn choosing(mut self, of: Chosen, per: Per, by: Balancing) -> Self {
        self.chooses = Some(Choice { of, per, by });
        self
    }

    /// Keeps how and how long this hop chooses, and changes among what.
    pub(super) const fn among(mut self, of: Chosen) -> Self {
        if let Some(choice) = self.chooses {
            self.chooses = Some(Choice { of, ..choice });
        }
        self
    }

    pub(super) const fn retrying(mut self, retries: Retries) -> Self {
        self.retries = Some(retries);
        self
    }

    pub(super) const fn ejecting(mut self) -> Self {
        self.ejects = Some(self.layer);
        self
    }

    pub(super) const fn authorising(mut self) -> Self {
        self.authorises = Some(self.layer);
        self
    }

    pub(super) const fn measuring(mut self, reporter: Reporter) -> Self {
        self.measures = Some(Measurement { layer: self.layer, reporter });
        self
    }

    /// This hop when it cannot read the traffic: connections instead of requests.
    ///
    /// Envoy's TCP proxy makes one connection attempt, so retries vanish; its outlier
    /// detection still counts failed connections (Envoy 1.40: a connect failure counts as
    /// 503, a connect timeout as 504, anything after that not at all).
    pub(super) const fn opaque(mut self) -> Self {
        self.layer = Layer::L4;
        self.retries = None;
        if let Some(choice) = self.chooses {
            self.chooses = Some(Choice { per: Per::Connection, ..choice });
        }
        if self.ejects.is_some() {
            self.ejects = Some(Layer::L4);
        }
        if self.authorises.is_some() {
            self.authorises = Some(Layer::L4);
        }
        if let Some(measurement) = self.measures {
            self.measures = Some(Measurement { layer: Layer::L4, ..measurement });
        }
        self
    }
}
