use super::*;

const CLIENTS: [Client; 4] = [
    Client::Pod(DataPlane::None),
    Client::Pod(DataPlane::Sidecar),
    Client::Pod(DataPlane::Ambient),
    Client::External,
];
const SERVERS: [DataPlane; 3] = [DataPlane::None, DataPlane::Sidecar, DataPlane::Ambient];
const WAYPOINTS: [Option<WaypointFor>; 4] =
    [None, Some(WaypointFor::Service), Some(WaypointFor::Workload), Some(WaypointFor::All)];
const LISTENERS: [GatewayListener; 3] =
    [GatewayListener::Http, GatewayListener::Tls, GatewayListener::IstioMutual];
const PROTOCOLS: [Protocol; 4] = [Protocol::Http, Protocol::Tcp, Protocol::Tls, Protocol::Udp];

fn gateways() -> Vec<Option<Gateway>> {
    let mut gateways = vec![None];
    for listener in LISTENERS {
        for (accepts_hbone, use_waypoint) in
            [(false, false), (false, true), (true, false), (true, true)]
        {
            gateways.push(Some(Gateway { listener, accepts_hbone, use_waypoint }));
        }
    }
    gateways
}

/// Every query there is, but for protocols that the paths do not tell apart.
fn all_queries() -> Vec<PathQuery> {
    let mut queries = Vec::new();
    for client in CLIENTS {
        for server in SERVERS {
            for addressed in [Addressed::Service, Addressed::PodIp] {
                let query = PathQuery::new(client, server, addressed);
                for (waypoint, gateway) in
                    WAYPOINTS.into_iter().flat_map(|w| gateways().into_iter().map(move |g| (w, g)))
                {
                    for (server_accepts_hbone, http_service_on_port) in
                        [(false, false), (false, true), (true, false), (true, true)]
                    {
                        queries.extend(PROTOCOLS.map(|protocol| PathQuery {
                            waypoint,
                            gateway,
                            server_accepts_hbone,
                            http_service_on_port,
                            protocol,
                            ..query
                        }));
                    }
                }
            }
        }
    }
    queries
}

#[test]
fn rows_are_numbered_in_order_and_no_query_is_covered_twice() {
    for (index, row) in PATHS.iter().enumerate() {
        assert_eq!(usize::from(row.number), index + 1);
    }
    for query in all_queries() {
        let rows: Vec<_> =
            PATHS.iter().filter(|row| row.covers(&query)).map(|row| row.number).collect();
        assert!(rows.len() <= 1, "{query:?} is covered by rows {rows:?}");
    }
}

/// The rules for unlisted combinations are those of the listed ones: applied to a query that
/// the table answers they give the table's hops.
#[test]
fn the_rules_reproduce_every_row_of_the_table() {
    let mut reproduced = [0; 26];
    for query in all_queries() {
        if let Some(row) = PATHS.iter().find(|row| row.covers(&query)) {
            let mut listed = row.hops.to_vec();
            let mut composed = compose::compose(&query);
            if let Some(gateway) = query.gateway {
                compose::enter_gateway(&mut listed, gateway);
                compose::enter_gateway(&mut composed, gateway);
            }
            assert_eq!(composed, listed, "row {}, {query:?}", row.number);
            reproduced[usize::from(row.number) - 1] += 1;
        }
    }
    assert!(reproduced.iter().all(|&queries| queries > 0), "{reproduced:?}");
}

/// A listed gateway row is what its usual listener gives: bending it changes nothing.
#[test]
fn gateway_rows_are_written_for_the_listener_that_the_decision_record_names() {
    for (rows, listener) in [
        (21..=23, GatewayListener::Tls),
        (24..=24, GatewayListener::IstioMutual),
        (25..=26, GatewayListener::Http),
    ] {
        for row in PATHS.iter().filter(|row| rows.contains(&row.number)) {
            let mut bent = row.hops.to_vec();
            compose::enter_gateway(&mut bent, Gateway::new(listener));
            assert_eq!(bent, row.hops, "row {}", row.number);
        }
    }
}

#[test]
fn every_query_has_a_path_that_hangs_together() {
    for query in all_queries() {
        let path = lookup(&query);
        let last = path.hops.last().map(|hop| hop.actor);
        assert_eq!(last, Some(Actor::ServerApp), "{query:?}");
        let begins_outside = path.hops[0].actor == Actor::LoadBalancer;
        assert_eq!(begins_outside, query.client == Client::External, "{query:?}");
        assert_eq!(
            path.hops.iter().filter(|hop| hop.arrives.is_none()).count(),
            usize::from(!begins_outside),
            "only the application that begins gets nothing: {query:?}"
        );
        for hop in &path.hops {
            let per_request = hop.chooses.is_some_and(|choice| choice.per == Per::Request);
            let reads = hop.layer == Layer::L7;
            assert!(reads || !per_request, "{query:?}: {hop:?}");
            assert!(reads || hop.retries.is_none(), "{query:?}: {hop:?}");
            assert!(reads || hop.authorises != Some(Layer::L7), "{query:?}: {hop:?}");
        }
    }
}

#[test]
fn every_path_lets_exactly_one_hop_choose_the_server_pod() {
    for query in all_queries() {
        let path = lookup(&query);
        let choosers = path
            .hops
            .iter()
            .filter(|hop| hop.chooses.is_some_and(|choice| choice.of == Chosen::ServerPod))
            .count();
        assert_eq!(choosers, 1, "{query:?}");
    }
}

#[test]
fn connections_chain_from_the_client_to_the_server_and_end_at_every_parse() {
    for query in all_queries() {
        let path = lookup(&query);
        let connections = path.connections();
        assert_eq!(connections.len(), path.l7_parses() + 1, "{query:?}");
        for pair in connections.windows(2) {
            assert_eq!(Some(pair[0].to), pair[1].from, "{query:?}");
        }
        assert_eq!(connections.last().map(|c| c.to), Some(path.hops.len() - 1));
    }
}

fn notes(query: PathQuery) -> Vec<&'static str> {
    lookup(&query).notes
}

fn has(query: PathQuery, words: &str) -> bool {
    notes(query).iter().any(|note| note.contains(words))
}

const fn pod(client: DataPlane, server: DataPlane) -> PathQuery {
    PathQuery::new(Client::Pod(client), server, Addressed::Service)
}

#[test]
fn a_path_between_sidecars_needs_no_note() {
    assert_eq!(notes(pod(DataPlane::Sidecar, DataPlane::Sidecar)), [""; 0]);
}

#[test]
fn the_reason_why_a_waypoint_is_passed_by_is_given() {
    let bound = |query, kind| PathQuery { waypoint: Some(kind), ..query };
    let ambient = pod(DataPlane::Ambient, DataPlane::Ambient);
    let by_ip = PathQuery { addressed: Addressed::PodIp, ..ambient };
    assert!(has(bound(by_ip, WaypointFor::Service), "does not see calls to pod IPs"));
    assert!(has(bound(ambient, WaypointFor::Workload), "does not see calls to Services"));
    let sidecar = pod(DataPlane::Sidecar, DataPlane::Ambient);
    assert!(has(bound(sidecar, WaypointFor::All), "sidecar goes straight"));
    let outside = pod(DataPlane::None, DataPlane::Ambient);
    assert!(has(bound(outside, WaypointFor::All), "not in the mesh"));
    let gateway = Some(Gateway::new(GatewayListener::Http));
    let through = PathQuery { gateway, ..ambient };
    assert!(has(bound(through, WaypointFor::All), "ingress-use-waypoint"));
    assert!(!has(bound(ambient, WaypointFor::Service), "not applied"), "it is crossed");
}

#[test]
fn every_path_past_a_waypoint_says_so_once() {
    for query in all_queries().into_iter().filter(|query| query.protocol != Protocol::Udp) {
        let path = lookup(&query);
        let said = path.notes.iter().filter(|note| note.contains("not applied")).count();
        assert_eq!(said, usize::from(path.bypasses_waypoint()), "{query:?}");
    }
}

#[test]
fn retries_multiply_only_where_the_proxies_can_parse() {
    let gateway = Some(Gateway::new(GatewayListener::IstioMutual));
    let http = PathQuery { gateway, ..pod(DataPlane::Sidecar, DataPlane::Sidecar) };
    assert!(has(http, "attempts multiply"));
    assert!(!has(PathQuery { protocol: Protocol::Tcp, ..http }, "attempts multiply"));
}

#[test]
fn the_note_on_a_pod_ip_tells_whether_the_sidecar_parses() {
    let by_ip =
        PathQuery { addressed: Addressed::PodIp, ..pod(DataPlane::Sidecar, DataPlane::Sidecar) };
    assert!(has(by_ip, "it parses the request"));
    assert!(has(PathQuery { http_service_on_port: false, ..by_ip }, "it passes the bytes on"));
}

#[test]
fn a_fallback_from_hbone_is_explained() {
    let without = pod(DataPlane::Ambient, DataPlane::Sidecar);
    assert!(has(without, "does not accept HBONE"));
    assert!(!has(PathQuery { server_accepts_hbone: true, ..without }, "does not accept HBONE"));
}
