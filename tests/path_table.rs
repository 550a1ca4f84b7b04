//! The path table, row by row, in the notation in which such tables are written by hand.
//!
//! `->` is plaintext (or the client's own TLS), `=>` a segment that the mesh encrypts.
//! A client app, CE client Envoy, CZ client ztunnel, KP kube-proxy, LB load balancer, GW gateway,
//! W waypoint, SZ server ztunnel, SE server Envoy, S server app. What is expected here was
//! written down from the documentation of Istio 1.31, ztunnel and Kubernetes, not from the code.

use meshsim::mesh::path::{
    Actor, Addressed, Balancing, Chosen, Client, DataPlane, Gateway, GatewayListener, Identity,
    Layer, Path, PathQuery, Per, Reporter, Retries, WaypointFor, Wire, lookup,
};
use meshsim::mesh::protocol::Protocol;

use Addressed::{PodIp, Service};
use DataPlane::{Ambient, None as NoMesh, Sidecar};

/// What a row of the table says.
#[derive(Clone, Copy, Default)]
struct Row {
    /// The hops, and how each segment between them is protected.
    hops: &'static str,
    /// Where the proxies listen.
    ports: &'static str,
    /// Who parses the request.
    parses: &'static str,
    /// Segments that the mesh encrypts.
    encrypted: usize,
    /// Segments that cross nodes, at most.
    crosses: usize,
    /// Who picks which endpoint, for how long, and how.
    picks: &'static str,
    /// Who can retry, and where to.
    retries: &'static str,
    /// Who can eject endpoints, by what it sees.
    ejects: &'static str,
    /// Who authorises, by what it sees, and whose identity that is.
    authorises: &'static str,
    /// Who emits metrics, of which layer, with which `reporter`.
    measures: &'static str,
    /// Whether a server in STRICT mode refuses.
    strict_refuses: bool,
    /// Whether a waypoint exists and is not crossed.
    bypasses_waypoint: bool,
}

impl Row {
    fn is_row(&self, number: u8, query: &PathQuery) {
        let path = lookup(query);
        assert_eq!(path.number, Some(number), "{query:?}");
        self.describes(&path);
    }

    fn is_unlisted(&self, query: &PathQuery) {
        let path = lookup(query);
        assert_eq!(path.number, None, "{query:?}");
        self.describes(&path);
    }

    fn describes(&self, path: &Path) {
        let query = &path.query;
        assert_eq!(drawn(path), self.hops, "hops of {query:?}");
        assert_eq!(ports(path), self.ports, "ports of {query:?}");
        assert_eq!(parses(path), self.parses, "L7 parses of {query:?}");
        assert_eq!(path.l7_parses(), self.parses.split_whitespace().count(), "{query:?}");
        assert_eq!(path.encrypted_segments(), self.encrypted, "encrypted segments of {query:?}");
        assert_eq!(path.cross_node_segments_at_most(), self.crosses, "crossings of {query:?}");
        assert_eq!(picks(path), self.picks, "choices of {query:?}");
        assert_eq!(retries(path), self.retries, "retries of {query:?}");
        assert_eq!(ejects(path), self.ejects, "ejections of {query:?}");
        assert_eq!(authorises(path), self.authorises, "authorisation of {query:?}");
        assert_eq!(measures(path), self.measures, "metrics of {query:?}");
        assert_eq!(path.needs_permissive(), self.strict_refuses, "STRICT and {query:?}");
        assert_eq!(path.bypasses_waypoint(), self.bypasses_waypoint, "waypoint of {query:?}");
    }
}

fn short(actor: Actor) -> &'static str {
    match actor {
        Actor::ClientApp => "A",
        Actor::ClientSidecar => "CE",
        Actor::ClientZtunnel => "CZ",
        Actor::KubeProxy => "KP",
        Actor::LoadBalancer => "LB",
        Actor::Gateway => "GW",
        Actor::Waypoint => "W",
        Actor::ServerZtunnel => "SZ",
        Actor::ServerSidecar => "SE",
        Actor::ServerApp => "S",
    }
}

/// The parts of a path that `describe` finds something to say about, joined by `separator`.
fn collect(
    path: &Path,
    separator: &str,
    describe: impl Fn(usize, &meshsim::mesh::path::Hop) -> Option<String>,
) -> String {
    let said: Vec<_> =
        path.hops.iter().enumerate().filter_map(|(at, hop)| describe(at, hop)).collect();
    said.join(separator)
}

fn drawn(path: &Path) -> String {
    collect(path, " ", |at, hop| {
        let name = short(hop.actor);
        let arrow = if hop.arrives.is_some_and(Wire::is_mesh_encrypted) { "=>" } else { "->" };
        Some(if at == 0 { name.to_owned() } else { format!("{arrow} {name}") })
    })
}

fn ports(path: &Path) -> String {
    collect(path, " ", |_, hop| hop.port.map(|port| format!("{}:{port}", short(hop.actor))))
}

fn parses(path: &Path) -> String {
    collect(path, " ", |_, hop| {
        let app = matches!(hop.actor, Actor::ClientApp | Actor::ServerApp);
        (hop.layer == Layer::L7 && !app).then(|| short(hop.actor).to_owned())
    })
}

fn picks(path: &Path) -> String {
    collect(path, ", ", |_, hop| {
        let choice = hop.chooses?;
        let of = match choice.of {
            Chosen::GatewayPod => "GW",
            Chosen::WaypointPod => "W",
            Chosen::ServerPod => "S",
        };
        let per = match choice.per {
            Per::Connection => "connection",
            Per::Request => "request",
        };
        let by = match choice.by {
            Balancing::Caller => "itself",
            Balancing::KubeProxyRandom => "random",
            Balancing::FlowHash => "flow hash",
            Balancing::WeightedRandom => "weighted random",
            Balancing::LeastRequest => "least request",
        };
        Some(format!("{} picks {of} per {per}: {by}", short(hop.actor)))
    })
}

fn retries(path: &Path) -> String {
    collect(path, ", ", |_, hop| {
        let to = match hop.retries? {
            Retries::AnotherEndpoint => "elsewhere",
            Retries::SameEndpoint => "same pod",
            Retries::LocalApp => "local app",
        };
        Some(format!("{} {to}", short(hop.actor)))
    })
}

fn ejects(path: &Path) -> String {
    collect(path, ", ", |_, hop| Some(format!("{} {:?}", short(hop.actor), hop.ejects?)))
}

fn authorises(path: &Path) -> String {
    collect(path, ", ", |at, hop| {
        let identity = match path.peer_identity(at) {
            None => "nobody",
            Some(Identity::Client) => "client",
            Some(Identity::Gateway) => "gateway",
            Some(Identity::Waypoint) => "waypoint",
        };
        Some(format!("{} {:?} sees {identity}", short(hop.actor), hop.authorises?))
    })
}

fn measures(path: &Path) -> String {
    collect(path, ", ", |_, hop| {
        let measurement = hop.measures?;
        let reporter = match measurement.reporter {
            Reporter::Source => "source",
            Reporter::Destination => "destination",
            Reporter::Waypoint => "waypoint",
        };
        Some(format!("{} {:?} {reporter}", short(hop.actor), measurement.layer))
    })
}

fn pod(client: DataPlane, server: DataPlane, addressed: Addressed) -> PathQuery {
    PathQuery::new(Client::Pod(client), server, addressed)
}

fn with_waypoint(query: PathQuery, kind: WaypointFor) -> PathQuery {
    PathQuery { waypoint: Some(kind), ..query }
}

fn through(client: Client, server: DataPlane, listener: GatewayListener) -> PathQuery {
    let query = PathQuery::new(client, server, Service);
    PathQuery { gateway: Some(Gateway::new(listener)), ..query }
}

/// The gateway goes to the waypoint of the Service.
fn using_waypoint(query: PathQuery, kind: WaypointFor) -> PathQuery {
    let gateway = query.gateway.map(|gateway| Gateway { use_waypoint: true, ..gateway });
    PathQuery { gateway, ..with_waypoint(query, kind) }
}

const KINDS: [WaypointFor; 3] = [WaypointFor::Service, WaypointFor::Workload, WaypointFor::All];

#[test]
fn row_01_no_mesh_to_no_mesh_by_service() {
    Row {
        hops: "A -> KP -> S",
        crosses: 1,
        picks: "KP picks S per connection: random",
        ..Row::default()
    }
    .is_row(1, &pod(NoMesh, NoMesh, Service));
}

#[test]
fn row_02_no_mesh_to_no_mesh_by_pod_ip() {
    Row { hops: "A -> S", crosses: 1, picks: "A picks S per connection: itself", ..Row::default() }
        .is_row(2, &pod(NoMesh, NoMesh, PodIp));
}

#[test]
fn row_03_no_mesh_to_sidecar_by_service() {
    let row = Row {
        hops: "A -> KP -> SE -> S",
        ports: "SE:15006",
        parses: "SE",
        crosses: 1,
        picks: "KP picks S per connection: random",
        retries: "SE local app",
        authorises: "SE L7 sees nobody",
        measures: "SE L7 destination",
        strict_refuses: true,
        ..Row::default()
    };
    let query = pod(NoMesh, Sidecar, Service);
    row.is_row(3, &query);
    row.is_row(3, &PathQuery { server_accepts_hbone: true, ..query });
}

#[test]
fn row_04_no_mesh_to_sidecar_by_pod_ip() {
    Row {
        hops: "A -> SE -> S",
        ports: "SE:15006",
        parses: "SE",
        crosses: 1,
        picks: "A picks S per connection: itself",
        retries: "SE local app",
        authorises: "SE L7 sees nobody",
        measures: "SE L7 destination",
        strict_refuses: true,
        ..Row::default()
    }
    .is_row(4, &pod(NoMesh, Sidecar, PodIp));
}

#[test]
fn row_05_no_mesh_to_ambient_by_service_past_any_waypoint() {
    let row = Row {
        hops: "A -> KP -> SZ -> S",
        ports: "SZ:15006",
        crosses: 1,
        picks: "KP picks S per connection: random",
        authorises: "SZ L4 sees nobody",
        measures: "SZ L4 destination",
        strict_refuses: true,
        ..Row::default()
    };
    row.is_row(5, &pod(NoMesh, Ambient, Service));
    for kind in KINDS {
        Row { bypasses_waypoint: true, ..row }
            .is_row(5, &with_waypoint(pod(NoMesh, Ambient, Service), kind));
    }
}

#[test]
fn row_06_no_mesh_to_ambient_by_pod_ip_past_any_waypoint() {
    let row = Row {
        hops: "A -> SZ -> S",
        ports: "SZ:15006",
        crosses: 1,
        picks: "A picks S per connection: itself",
        authorises: "SZ L4 sees nobody",
        measures: "SZ L4 destination",
        strict_refuses: true,
        ..Row::default()
    };
    row.is_row(6, &pod(NoMesh, Ambient, PodIp));
    for kind in KINDS {
        Row { bypasses_waypoint: true, ..row }
            .is_row(6, &with_waypoint(pod(NoMesh, Ambient, PodIp), kind));
    }
}

#[test]
fn row_07_sidecar_to_no_mesh_by_service() {
    Row {
        hops: "A -> CE -> S",
        ports: "CE:15001",
        parses: "CE",
        crosses: 1,
        picks: "CE picks S per request: least request",
        retries: "CE elsewhere",
        ejects: "CE L7",
        measures: "CE L7 source",
        ..Row::default()
    }
    .is_row(7, &pod(Sidecar, NoMesh, Service));
}

#[test]
fn row_08_sidecar_to_sidecar_by_service() {
    let row = Row {
        hops: "A -> CE => SE -> S",
        ports: "CE:15001 SE:15006",
        parses: "CE SE",
        encrypted: 1,
        crosses: 1,
        picks: "CE picks S per request: least request",
        retries: "CE elsewhere, SE local app",
        ejects: "CE L7",
        authorises: "SE L7 sees client",
        measures: "CE L7 source, SE L7 destination",
        ..Row::default()
    };
    let query = pod(Sidecar, Sidecar, Service);
    row.is_row(8, &query);
    row.is_row(8, &PathQuery { server_accepts_hbone: true, ..query });
}

#[test]
fn row_09_sidecar_to_sidecar_by_pod_ip() {
    let row = Row {
        hops: "A -> CE -> SE -> S",
        ports: "CE:15001 SE:15006",
        parses: "CE SE",
        crosses: 1,
        picks: "A picks S per connection: itself",
        retries: "SE local app",
        authorises: "SE L7 sees nobody",
        measures: "CE L7 source, SE L7 destination",
        strict_refuses: true,
        ..Row::default()
    };
    let query = pod(Sidecar, Sidecar, PodIp);
    row.is_row(9, &query);
    Row { parses: "SE", measures: "CE L4 source, SE L7 destination", ..row }
        .is_row(9, &PathQuery { http_service_on_port: false, ..query });
}

const SIDECAR_TO_AMBIENT: Row = Row {
    hops: "A -> CE => SZ -> S",
    ports: "CE:15001 SZ:15008",
    parses: "CE",
    encrypted: 1,
    crosses: 1,
    picks: "CE picks S per request: least request",
    retries: "CE elsewhere",
    ejects: "CE L7",
    authorises: "SZ L4 sees client",
    measures: "CE L7 source, SZ L4 destination",
    strict_refuses: false,
    bypasses_waypoint: false,
};

#[test]
fn row_10_sidecar_to_ambient_by_service_without_waypoint() {
    SIDECAR_TO_AMBIENT.is_row(10, &pod(Sidecar, Ambient, Service));
}

#[test]
fn row_11_sidecar_to_ambient_by_service_skips_the_waypoint() {
    for kind in KINDS {
        Row { bypasses_waypoint: true, ..SIDECAR_TO_AMBIENT }
            .is_row(11, &with_waypoint(pod(Sidecar, Ambient, Service), kind));
    }
}

#[test]
fn row_12_ambient_to_no_mesh_by_service() {
    Row {
        hops: "A -> CZ -> S",
        ports: "CZ:15001",
        crosses: 1,
        picks: "CZ picks S per connection: weighted random",
        measures: "CZ L4 source",
        ..Row::default()
    }
    .is_row(12, &pod(Ambient, NoMesh, Service));
}

const AMBIENT_TO_AMBIENT: Row = Row {
    hops: "A -> CZ => SZ -> S",
    ports: "CZ:15001 SZ:15008",
    parses: "",
    encrypted: 1,
    crosses: 1,
    picks: "CZ picks S per connection: weighted random",
    retries: "",
    ejects: "",
    authorises: "SZ L4 sees client",
    measures: "CZ L4 source, SZ L4 destination",
    strict_refuses: false,
    bypasses_waypoint: false,
};

#[test]
fn row_13_ambient_to_ambient_by_service_without_waypoint() {
    AMBIENT_TO_AMBIENT.is_row(13, &pod(Ambient, Ambient, Service));
}

#[test]
fn row_14_ambient_to_ambient_by_pod_ip_without_waypoint() {
    Row { picks: "A picks S per connection: itself", ..AMBIENT_TO_AMBIENT }
        .is_row(14, &pod(Ambient, Ambient, PodIp));
}

#[test]
fn row_15_ambient_to_ambient_by_service_with_waypoint() {
    let row = Row {
        hops: "A -> CZ => W => SZ -> S",
        ports: "CZ:15001 W:15008 SZ:15008",
        parses: "W",
        encrypted: 2,
        crosses: 2,
        picks: "CZ picks W per connection: weighted random, W picks S per request: least request",
        retries: "W elsewhere",
        ejects: "W L7",
        authorises: "W L7 sees client, SZ L4 sees waypoint",
        measures: "CZ L4 source, W L7 waypoint, SZ L4 destination",
        ..Row::default()
    };
    for kind in [WaypointFor::Service, WaypointFor::All] {
        row.is_row(15, &with_waypoint(pod(Ambient, Ambient, Service), kind));
    }
}

#[test]
fn row_16_ambient_to_ambient_by_pod_ip_bypasses_a_waypoint_for_services() {
    Row {
        picks: "A picks S per connection: itself",
        bypasses_waypoint: true,
        ..AMBIENT_TO_AMBIENT
    }
    .is_row(16, &with_waypoint(pod(Ambient, Ambient, PodIp), WaypointFor::Service));
}

#[test]
fn row_17_ambient_to_ambient_by_pod_ip_with_a_waypoint_for_workloads() {
    let row = Row {
        hops: "A -> CZ => W => SZ -> S",
        ports: "CZ:15001 W:15008 SZ:15008",
        parses: "W",
        encrypted: 2,
        crosses: 2,
        picks: "A picks S per connection: itself, CZ picks W per connection: weighted random",
        retries: "W same pod",
        authorises: "W L7 sees client, SZ L4 sees waypoint",
        measures: "CZ L4 source, W L7 waypoint, SZ L4 destination",
        ..Row::default()
    };
    for kind in [WaypointFor::Workload, WaypointFor::All] {
        row.is_row(17, &with_waypoint(pod(Ambient, Ambient, PodIp), kind));
    }
}

#[test]
fn row_18_ambient_to_ambient_by_service_bypasses_a_waypoint_for_workloads() {
    Row { bypasses_waypoint: true, ..AMBIENT_TO_AMBIENT }
        .is_row(18, &with_waypoint(pod(Ambient, Ambient, Service), WaypointFor::Workload));
}

#[test]
fn row_19_ambient_to_sidecar_with_hbone_label_by_service() {
    Row {
        hops: "A -> CZ => SE -> S",
        ports: "CZ:15001 SE:15008",
        parses: "SE",
        encrypted: 1,
        crosses: 1,
        picks: "CZ picks S per connection: weighted random",
        retries: "SE local app",
        authorises: "SE L7 sees client",
        measures: "CZ L4 source, SE L7 destination",
        ..Row::default()
    }
    .is_row(19, &PathQuery { server_accepts_hbone: true, ..pod(Ambient, Sidecar, Service) });
}

#[test]
fn row_20_ambient_to_sidecar_without_hbone_label_by_service() {
    Row {
        hops: "A -> CZ -> SE -> S",
        ports: "CZ:15001 SE:15006",
        parses: "SE",
        crosses: 1,
        picks: "CZ picks S per connection: weighted random",
        retries: "SE local app",
        authorises: "SE L7 sees nobody",
        measures: "CZ L4 source, SE L7 destination",
        strict_refuses: true,
        ..Row::default()
    }
    .is_row(20, &pod(Ambient, Sidecar, Service));
}

#[test]
fn row_21_outside_to_sidecar_through_a_gateway() {
    let query = through(Client::External, Sidecar, GatewayListener::Tls);
    Row {
        hops: "LB -> GW => SE -> S",
        ports: "LB:443 GW:443 SE:15006",
        parses: "GW SE",
        encrypted: 1,
        crosses: 2,
        picks: "LB picks GW per connection: flow hash, GW picks S per request: least request",
        retries: "GW elsewhere, SE local app",
        ejects: "GW L7",
        authorises: "GW L7 sees nobody, SE L7 sees gateway",
        measures: "GW L7 source, SE L7 destination",
        ..Row::default()
    }
    .is_row(21, &query);
    assert_eq!(client_tls(&query), ["LB", "GW"], "one session, through the load balancer");
}

#[test]
fn row_22_outside_to_ambient_through_a_gateway_past_any_waypoint() {
    let row = Row {
        hops: "LB -> GW => SZ -> S",
        ports: "LB:443 GW:443 SZ:15008",
        parses: "GW",
        encrypted: 1,
        crosses: 2,
        picks: "LB picks GW per connection: flow hash, GW picks S per request: least request",
        retries: "GW elsewhere",
        ejects: "GW L7",
        authorises: "GW L7 sees nobody, SZ L4 sees gateway",
        measures: "GW L7 source, SZ L4 destination",
        ..Row::default()
    };
    let query = through(Client::External, Ambient, GatewayListener::Tls);
    row.is_row(22, &query);
    for kind in KINDS {
        Row { bypasses_waypoint: true, ..row }.is_row(22, &with_waypoint(query, kind));
    }
    Row { bypasses_waypoint: true, ..row }
        .is_row(22, &using_waypoint(query, WaypointFor::Workload));
    assert_eq!(client_tls(&query), ["LB", "GW"]);
}

#[test]
fn row_23_outside_to_ambient_through_a_gateway_that_uses_the_waypoint() {
    let row = Row {
        hops: "LB -> GW => W => SZ -> S",
        ports: "LB:443 GW:443 W:15008 SZ:15008",
        parses: "GW W",
        encrypted: 2,
        crosses: 3,
        picks: "LB picks GW per connection: flow hash, GW picks W per request: least request, \
                W picks S per request: least request",
        retries: "GW elsewhere, W elsewhere",
        ejects: "GW L7, W L7",
        authorises: "GW L7 sees nobody, W L7 sees gateway, SZ L4 sees waypoint",
        measures: "GW L7 source, W L7 waypoint, SZ L4 destination",
        ..Row::default()
    };
    let query = through(Client::External, Ambient, GatewayListener::Tls);
    for kind in [WaypointFor::Service, WaypointFor::All] {
        row.is_row(23, &using_waypoint(query, kind));
    }
    assert_eq!(client_tls(&query), ["LB", "GW"]);
}

#[test]
fn row_24_sidecar_to_sidecar_through_an_internal_gateway() {
    let query = through(Client::Pod(Sidecar), Sidecar, GatewayListener::IstioMutual);
    Row {
        hops: "A -> CE => GW => SE -> S",
        ports: "CE:15001 GW:443 SE:15006",
        parses: "CE GW SE",
        encrypted: 2,
        crosses: 2,
        picks: "CE picks GW per request: least request, GW picks S per request: least request",
        retries: "CE elsewhere, GW elsewhere, SE local app",
        ejects: "CE L7, GW L7",
        authorises: "GW L7 sees client, SE L7 sees gateway",
        measures: "CE L7 source, GW L7 source, SE L7 destination",
        ..Row::default()
    }
    .is_row(24, &query);
}

#[test]
fn row_25_ambient_to_ambient_through_an_internal_gateway() {
    let row = Row {
        hops: "A -> CZ -> GW => SZ -> S",
        ports: "CZ:15001 GW:80 SZ:15008",
        parses: "GW",
        encrypted: 1,
        crosses: 2,
        picks: "CZ picks GW per connection: weighted random, GW picks S per request: least request",
        retries: "GW elsewhere",
        ejects: "GW L7",
        authorises: "GW L7 sees nobody, SZ L4 sees gateway",
        measures: "CZ L4 source, GW L7 source, SZ L4 destination",
        ..Row::default()
    };
    let query = through(Client::Pod(Ambient), Ambient, GatewayListener::Http);
    row.is_row(25, &query);
    Row {
        hops: "A -> CZ => GW => SZ -> S",
        ports: "CZ:15001 GW:15008 SZ:15008",
        encrypted: 2,
        authorises: "GW L7 sees client, SZ L4 sees gateway",
        ..row
    }
    .is_row(25, &accepting_hbone(query));
    Row { ports: "CZ:15001 GW:443 SZ:15008", ..row }
        .is_row(25, &through(Client::Pod(Ambient), Ambient, GatewayListener::Tls));
}

#[test]
fn row_26_ambient_to_ambient_through_an_internal_gateway_that_uses_the_waypoint() {
    let row = Row {
        hops: "A -> CZ -> GW => W => SZ -> S",
        ports: "CZ:15001 GW:80 W:15008 SZ:15008",
        parses: "GW W",
        encrypted: 2,
        crosses: 3,
        picks: "CZ picks GW per connection: weighted random, \
                GW picks W per request: least request, W picks S per request: least request",
        retries: "GW elsewhere, W elsewhere",
        ejects: "GW L7, W L7",
        authorises: "GW L7 sees nobody, W L7 sees gateway, SZ L4 sees waypoint",
        measures: "CZ L4 source, GW L7 source, W L7 waypoint, SZ L4 destination",
        ..Row::default()
    };
    let query = through(Client::Pod(Ambient), Ambient, GatewayListener::Http);
    for kind in [WaypointFor::Service, WaypointFor::All] {
        row.is_row(26, &using_waypoint(query, kind));
    }
}

fn accepting_hbone(query: PathQuery) -> PathQuery {
    let gateway = query.gateway.map(|gateway| Gateway { accepts_hbone: true, ..gateway });
    PathQuery { gateway, ..query }
}

/// Who receives TLS that the client itself began.
fn client_tls(query: &PathQuery) -> Vec<&'static str> {
    let hops = lookup(query).hops;
    let receivers = hops.iter().filter(|hop| hop.arrives == Some(Wire::ClientTls));
    receivers.map(|hop| short(hop.actor)).collect()
}

// What a port's protocol does to a row.

#[test]
fn a_tcp_port_takes_requests_retries_and_l7_from_a_sidecar_pair_and_leaves_its_hops() {
    let tcp = PathQuery { protocol: Protocol::Tcp, ..pod(Sidecar, Sidecar, Service) };
    Row {
        hops: "A -> CE => SE -> S",
        ports: "CE:15001 SE:15006",
        encrypted: 1,
        crosses: 1,
        picks: "CE picks S per connection: least request",
        ejects: "CE L4",
        authorises: "SE L4 sees client",
        measures: "CE L4 source, SE L4 destination",
        ..Row::default()
    }
    .is_row(8, &tcp);
}

#[test]
fn a_tcp_port_takes_requests_retries_and_l7_from_a_waypoint() {
    let http = with_waypoint(pod(Ambient, Ambient, Service), WaypointFor::Service);
    Row {
        hops: "A -> CZ => W => SZ -> S",
        ports: "CZ:15001 W:15008 SZ:15008",
        encrypted: 2,
        crosses: 2,
        picks: "CZ picks W per connection: weighted random, \
                W picks S per connection: least request",
        ejects: "W L4",
        authorises: "W L4 sees client, SZ L4 sees waypoint",
        measures: "CZ L4 source, W L4 waypoint, SZ L4 destination",
        ..Row::default()
    }
    .is_row(15, &PathQuery { protocol: Protocol::Tcp, ..http });
}

#[test]
fn what_is_not_http_is_tcp_and_what_is_detected_is_taken_for_http() {
    let query = pod(Sidecar, Sidecar, Service);
    let parses = |protocol| lookup(&PathQuery { protocol, ..query }).l7_parses();
    for protocol in
        [Protocol::Http, Protocol::Http2, Protocol::Grpc, Protocol::GrpcWeb, Protocol::Auto]
    {
        assert_eq!(parses(protocol), 2, "{protocol:?}");
    }
    for protocol in [
        Protocol::Tcp,
        Protocol::Tls,
        Protocol::Https,
        Protocol::Mongo,
        Protocol::MySql,
        Protocol::Redis,
    ] {
        assert_eq!(parses(protocol), 0, "{protocol:?}");
    }
}

#[test]
fn tls_of_the_application_stays_ciphertext_up_to_the_server_and_is_not_mesh_encryption() {
    let https = PathQuery { protocol: Protocol::Https, ..pod(NoMesh, Sidecar, Service) };
    assert_eq!(client_tls(&https), ["KP", "SE", "S"]);
    assert_eq!(lookup(&https).encrypted_segments(), 0);
    assert!(lookup(&https).needs_permissive(), "it is not Istio's mutual TLS");
}

#[test]
fn datagrams_pass_the_mesh_by() {
    for (addressed, hops) in [(Service, "A -> KP -> S"), (PodIp, "A -> S")] {
        let query = PathQuery { protocol: Protocol::Udp, ..pod(Ambient, Ambient, addressed) };
        let path = lookup(&query);
        assert_eq!(drawn(&path), hops);
        assert_eq!(path.number, None);
        assert!(path.notes.contains(&"Datagrams are not captured by the mesh."));
    }
}

// Combinations that the table does not list.

#[test]
fn a_sidecar_reaches_an_ambient_pod_ip_in_plaintext() {
    Row {
        hops: "A -> CE -> SZ -> S",
        ports: "CE:15001 SZ:15006",
        parses: "CE",
        crosses: 1,
        picks: "A picks S per connection: itself",
        authorises: "SZ L4 sees nobody",
        measures: "CE L7 source, SZ L4 destination",
        strict_refuses: true,
        ..Row::default()
    }
    .is_unlisted(&pod(Sidecar, Ambient, PodIp));
}

#[test]
fn an_ambient_client_reaches_a_pod_ip_outside_the_mesh_in_plaintext() {
    Row {
        hops: "A -> CZ -> S",
        ports: "CZ:15001",
        crosses: 1,
        picks: "A picks S per connection: itself",
        measures: "CZ L4 source",
        ..Row::default()
    }
    .is_unlisted(&pod(Ambient, NoMesh, PodIp));
}

#[test]
fn a_load_balancer_straight_to_pods_chooses_per_connection() {
    let row = Row {
        hops: "LB -> S",
        crosses: 1,
        picks: "LB picks S per connection: flow hash",
        ..Row::default()
    };
    row.is_unlisted(&PathQuery::new(Client::External, NoMesh, Service));
    Row {
        hops: "LB -> SZ -> S",
        ports: "SZ:15006",
        authorises: "SZ L4 sees nobody",
        measures: "SZ L4 destination",
        strict_refuses: true,
        ..row
    }
    .is_unlisted(&PathQuery::new(Client::External, Ambient, Service));
}

#[test]
fn a_gateway_reaches_pods_outside_the_mesh_in_plaintext() {
    Row {
        hops: "LB -> GW -> S",
        ports: "LB:80 GW:80",
        parses: "GW",
        crosses: 2,
        picks: "LB picks GW per connection: flow hash, GW picks S per request: least request",
        retries: "GW elsewhere",
        ejects: "GW L7",
        authorises: "GW L7 sees nobody",
        measures: "GW L7 source",
        ..Row::default()
    }
    .is_unlisted(&through(Client::External, NoMesh, GatewayListener::Http));
}

#[test]
fn a_waypoint_reaches_sidecars_by_hbone_or_not_encrypted_at_all() {
    let query = with_waypoint(pod(Ambient, Sidecar, Service), WaypointFor::Service);
    let labelled = lookup(&PathQuery { server_accepts_hbone: true, ..query });
    assert_eq!(drawn(&labelled), "A -> CZ => W => SE -> S");
    assert_eq!(ports(&labelled), "CZ:15001 W:15008 SE:15008");
    let unlabelled = lookup(&query);
    assert_eq!(drawn(&unlabelled), "A -> CZ => W -> SE -> S");
    assert!(unlabelled.needs_permissive());
}

#[test]
fn kube_proxy_picks_the_gateway_for_a_caller_outside_the_mesh() {
    let path = lookup(&through(Client::Pod(NoMesh), Ambient, GatewayListener::Http));
    assert_eq!(drawn(&path), "A -> KP -> GW => SZ -> S");
    assert_eq!(
        picks(&path),
        "KP picks GW per connection: random, GW picks S per request: least request"
    );
    assert_eq!(path.cross_node_segments_at_most(), 2);
}

// How a gateway's listener bends a row.

#[test]
fn a_sidecar_talks_plaintext_to_a_plain_gateway_listener() {
    let path = lookup(&through(Client::Pod(Sidecar), Sidecar, GatewayListener::Http));
    assert_eq!(path.number, Some(24));
    assert_eq!(drawn(&path), "A -> CE -> GW => SE -> S");
    assert_eq!(path.encrypted_segments(), 1);
}

#[test]
fn a_client_that_begins_tls_itself_blinds_its_sidecar() {
    let path = lookup(&through(Client::Pod(Sidecar), Sidecar, GatewayListener::Tls));
    assert_eq!(parses(&path), "GW SE");
    assert_eq!(
        picks(&path),
        "CE picks GW per connection: least request, GW picks S per request: least request"
    );
    assert_eq!(measures(&path), "CE L4 source, GW L7 source, SE L7 destination");
}

#[test]
fn a_gateway_that_wants_istio_mutual_tls_refuses_everyone_but_sidecars() {
    let refuses = |client| {
        let path = lookup(&through(client, Ambient, GatewayListener::IstioMutual));
        path.notes.iter().any(|note| note.contains("it refuses"))
    };
    assert!(refuses(Client::Pod(Ambient)));
    assert!(refuses(Client::Pod(NoMesh)));
    assert!(refuses(Client::External));
    assert!(!refuses(Client::Pod(Sidecar)));
}

// What the counts stand on.

#[test]
fn the_connections_of_a_path_end_at_every_parse() {
    let query = using_waypoint(
        through(Client::Pod(Ambient), Ambient, GatewayListener::Http),
        WaypointFor::Service,
    );
    let path = lookup(&query);
    let ends: Vec<_> = path
        .connections()
        .iter()
        .map(|c| (c.from.map(|at| short(path.hops[at].actor)), short(path.hops[c.to].actor)))
        .collect();
    assert_eq!(ends, [(Some("A"), "GW"), (Some("GW"), "W"), (Some("W"), "S")]);
    assert_eq!(path.ztunnel_passes(), 2);

    let outside = lookup(&through(Client::External, Sidecar, GatewayListener::Tls));
    assert_eq!(outside.connections()[0].from, None, "the client is outside");
}
