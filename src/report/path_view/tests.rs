use super::*;
use crate::mesh::path::{
    Addressed, Client, DataPlane, Gateway, GatewayListener, PathQuery, Place, WaypointFor, lookup,
};

use DataPlane::{Ambient, None as NoMesh, Sidecar};

/// Made-up names: the client on node `client-1`, the server on `server-1`, all others on `edge-1`.
fn named(title: &str, query: &PathQuery) -> NamedPath {
    let path = lookup(query);
    let names = path.hops.iter().map(name).collect();
    NamedPath::new(title, path, names).unwrap()
}

fn name(hop: &Hop) -> HopName {
    use crate::mesh::path::Actor::*;
    let node = match hop.node {
        Place::Client => "client-1",
        Place::Server => "server-1",
        Place::Anywhere => "edge-1",
        Place::Outside => return HopName::outside(),
    };
    match hop.actor {
        KubeProxy => HopName::node(node),
        ClientApp | ClientSidecar => HopName::pod("client-6c9f7d5b8-k2x4p", node),
        ServerSidecar => HopName::pod("echo-7bf98bd6c9-9wq2t", node),
        ServerApp => HopName::pod("echo-7bf98bd6c9-9wq2t", node).listening_on(8080),
        ClientZtunnel => HopName::pod("ztunnel-4xk9d", node),
        ServerZtunnel => HopName::pod("ztunnel-p7m2s", node),
        Gateway => HopName::pod("shop-gateway-istio-5d8f4b-7rj6w", node),
        Waypoint => HopName::pod("waypoint-56c8f9d7b4-zl5hn", node),
        LoadBalancer => HopName::outside(),
    }
}

fn pod(client: DataPlane, server: DataPlane, addressed: Addressed) -> PathQuery {
    PathQuery::new(Client::Pod(client), server, addressed)
}

fn row_2() -> NamedPath {
    named("client → echo pod, no mesh", &pod(NoMesh, NoMesh, Addressed::PodIp))
}

fn row_8() -> NamedPath {
    named("client → echo, sidecar to sidecar", &pod(Sidecar, Sidecar, Addressed::Service))
}

fn row_15() -> NamedPath {
    let query = PathQuery {
        waypoint: Some(WaypointFor::Service),
        ..pod(Ambient, Ambient, Addressed::Service)
    };
    named("client → echo, ambient with a waypoint", &query)
}

fn through(client: Client, server: DataPlane, gateway: Gateway) -> PathQuery {
    PathQuery {
        gateway: Some(gateway),
        waypoint: gateway.use_waypoint.then_some(WaypointFor::Service),
        ..PathQuery::new(client, server, Addressed::Service)
    }
}

fn row_23() -> NamedPath {
    let gateway = Gateway { use_waypoint: true, ..Gateway::new(GatewayListener::Tls) };
    named("outside → echo, ingress uses the waypoint", &through(Client::External, Ambient, gateway))
}

fn row_24() -> NamedPath {
    let gateway = Gateway::new(GatewayListener::IstioMutual);
    let query = through(Client::Pod(Sidecar), Sidecar, gateway);
    named("client → echo through an internal gateway, sidecars", &query)
}

fn row_26() -> NamedPath {
    let gateway = Gateway { use_waypoint: true, ..Gateway::new(GatewayListener::Http) };
    let query = through(Client::Pod(Ambient), Ambient, gateway);
    named("client → echo through an internal gateway and the waypoint", &query)
}

/// All rows that a picture is drawn of in these tests, and some that warn.
fn samples() -> Vec<NamedPath> {
    let row_1 = named("client → echo, no mesh", &pod(NoMesh, NoMesh, Addressed::Service));
    let row_9 = named("client → echo pod", &pod(Sidecar, Sidecar, Addressed::PodIp));
    let bypass = PathQuery {
        waypoint: Some(WaypointFor::Service),
        ..pod(Ambient, Ambient, Addressed::PodIp)
    };
    let row_16 = named("client → echo pod, past the waypoint", &bypass);
    vec![row_1, row_2(), row_8(), row_9, row_15(), row_16, row_23(), row_24(), row_26()]
}

#[test]
fn the_terminal_shows_the_way_and_who_decides_on_it() {
    assert_eq!(terminal(&row_15()), include_str!("row-15.txt"));
}

#[test]
fn the_terminal_leaves_out_columns_that_say_nothing() {
    let text = terminal(&row_2());
    assert!(text.contains("1  application  server pod  connection  dialled by its IP\n"), "{text}");
    for column in ["retries", "ejects", "authorises", "measures"] {
        assert!(!text.contains(column), "{column} in\n{text}");
    }
}

#[test]
fn json_holds_the_counts_the_names_and_every_decision() {
    let document: serde_json::Value = serde_json::from_str(&json(&row_15()).unwrap()).unwrap();
    assert_eq!(document["row"], 15);
    assert_eq!(document["l7Parses"], 1);
    assert_eq!(document["encryptedSegments"], 2);
    assert_eq!(document["crossNodeSegmentsAtMost"], 2);
    assert_eq!(document["query"]["waypoint"], "service");
    assert_eq!(
        document["hops"][2],
        serde_json::json!({
            "process": "waypoint",
            "pod": "waypoint-56c8f9d7b4-zl5hn",
            "nodeName": "edge-1",
            "actor": "waypoint",
            "node": "anywhere",
            "port": 15008,
            "layer": "L7",
            "arrives": "hbone",
            "chooses": {"of": "server-pod", "per": "request", "by": "least-request"},
            "retries": "another-endpoint",
            "ejects": "L7",
            "authorises": "L7",
            "measures": {"layer": "L7", "reporter": "waypoint"},
            "peerIdentity": "client",
        })
    );
    assert_eq!(document["hops"][4]["port"], 8080, "the application's own port");
    assert_eq!(document["hops"][0]["arrives"], serde_json::Value::Null);
}

#[test]
fn a_drawing_is_well_formed_and_names_every_pod_node_and_port() {
    for sample in samples() {
        let svg = drawing(&sample);
        resvg::usvg::Tree::from_str(&svg, &resvg::usvg::Options::default()).unwrap();
        assert!(svg.contains(&format!("<title>{}</title>", sample.title)), "{}", sample.title);
        for (hop, name) in sample.hops() {
            if let Some(node) = &name.node {
                assert!(svg.contains(&format!(">node {node}<")), "{node}");
            }
            if let Some(port) = hop.port.or(name.port) {
                assert!(svg.contains(&format!(">:{port}<")), "{port}");
            }
        }
        let warns = sample.path.needs_permissive();
        assert_eq!(svg.contains(">STRICT refuses<"), warns, "{}", sample.title);
        let warns = sample.path.bypasses_waypoint();
        assert_eq!(svg.contains(">waypoint bypassed<"), warns, "{}", sample.title);
    }
}

#[test]
fn a_drawing_shows_a_lock_for_every_encrypted_segment_and_in_its_legend() {
    for sample in samples() {
        let encrypted = sample.path.encrypted_segments();
        let green_locks = drawing(&sample).matches(r##"fill="#15803d" stroke="#15803d""##).count();
        let legend = usize::from(encrypted > 0);
        assert_eq!(green_locks, encrypted + legend, "{}", sample.title);
    }
}

#[test]
fn names_from_outside_cannot_break_the_drawing() {
    let path = lookup(&pod(NoMesh, NoMesh, Addressed::PodIp));
    let hostile = "</text><script>&\"'\u{1}\u{0}".repeat(20);
    let names = vec![HopName::pod(&hostile, &hostile), HopName::pod("", "")];
    let svg = drawing(&NamedPath::new(&hostile, path, names).unwrap());
    assert!(!svg.contains("<script>"));
    resvg::usvg::Tree::from_str(&svg, &resvg::usvg::Options::default()).unwrap();
}

#[test]
fn every_hop_needs_a_name() {
    let path = lookup(&pod(NoMesh, NoMesh, Addressed::PodIp));
    let refused = NamedPath::new("", path, vec![HopName::outside()]).unwrap_err();
    assert_eq!(refused.to_string(), "a path of 2 hops was given 1 names");
}

/// Draws the samples as SVG and PNG under `target/path-drawings`, with a font of the machine.
#[test]
#[ignore = "for the eye: cargo test --lib look_at_drawings -- --ignored"]
fn look_at_drawings() {
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/target/path-drawings"));
    std::fs::create_dir_all(folder).unwrap();
    let mut options = resvg::usvg::Options::default();
    for font in ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"] {
        let font = std::path::Path::new("/usr/share/fonts/truetype/dejavu").join(font);
        options.fontdb_mut().load_font_data(std::fs::read(font).unwrap());
    }
    options.fontdb_mut().set_sans_serif_family("DejaVu Sans");
    for sample in samples() {
        let file = folder.join(format!("row-{:02}", sample.path.number.unwrap()));
        let svg = drawing(&sample);
        std::fs::write(file.with_extension("svg"), &svg).unwrap();
        let tree = resvg::usvg::Tree::from_str(&svg, &options).unwrap();
        let size = tree.size().to_int_size();
        let mut pixels = resvg::tiny_skia::Pixmap::new(size.width(), size.height()).unwrap();
        resvg::render(&tree, Default::default(), &mut pixels.as_mut());
        pixels.save_png(file.with_extension("png")).unwrap();
    }
}
