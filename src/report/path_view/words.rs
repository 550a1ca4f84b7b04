//! The words in which hops are described, the same in table and drawing.

use crate::mesh::path::{
    Actor, Balancing, Chosen, Identity, Layer, Path, Per, Reporter, Retries, Wire,
};

/// The process behind an actor, as an operator knows it.
pub(super) fn process(actor: Actor) -> &'static str {
    match actor {
        Actor::ClientApp | Actor::ServerApp => "application",
        Actor::ClientSidecar | Actor::ServerSidecar => "sidecar",
        Actor::ClientZtunnel | Actor::ServerZtunnel => "ztunnel",
        Actor::KubeProxy => "kube-proxy",
        Actor::LoadBalancer => "load balancer",
        Actor::Gateway => "gateway",
        Actor::Waypoint => "waypoint",
    }
}

pub(super) fn wire(wire: Wire) -> &'static str {
    match wire {
        Wire::Plain => "plaintext",
        Wire::Mtls => "mTLS",
        Wire::Hbone => "HBONE",
        Wire::ClientTls => "client TLS",
    }
}

pub(super) fn layer(layer: Layer) -> &'static str {
    match layer {
        Layer::L4 => "L4",
        Layer::L7 => "L7",
    }
}

pub(super) fn chosen(of: Chosen) -> &'static str {
    match of {
        Chosen::GatewayPod => "gateway pod",
        Chosen::WaypointPod => "waypoint pod",
        Chosen::ServerPod => "server pod",
    }
}

pub(super) fn per(per: Per) -> &'static str {
    match per {
        Per::Connection => "connection",
        Per::Request => "request",
    }
}

pub(super) fn balancing(by: Balancing) -> &'static str {
    match by {
        Balancing::Caller => "dialled by its IP",
        Balancing::KubeProxyRandom => "random",
        Balancing::FlowHash => "flow hash",
        Balancing::WeightedRandom => "weighted random",
        Balancing::LeastRequest => "least request",
    }
}

pub(super) fn retries(retries: Retries) -> &'static str {
    match retries {
        Retries::AnotherEndpoint => "another endpoint",
        Retries::SameEndpoint => "the same pod",
        Retries::LocalApp => "the local app only",
    }
}

pub(super) fn ejects(layer: Layer) -> &'static str {
    match layer {
        Layer::L7 => "responses, connects",
        Layer::L4 => "failed connects",
    }
}

/// What is seen at a layer, to follow "authorises" and "measures".
pub(super) fn units(layer: Layer) -> &'static str {
    match layer {
        Layer::L7 => "requests",
        Layer::L4 => "connections",
    }
}

pub(super) fn identity(identity: Option<Identity>) -> &'static str {
    match identity {
        None => "anyone",
        Some(Identity::Client) => "the client",
        Some(Identity::Gateway) => "the gateway",
        Some(Identity::Waypoint) => "the waypoint",
    }
}

pub(super) fn reporter(reporter: Reporter) -> &'static str {
    match reporter {
        Reporter::Source => "source",
        Reporter::Destination => "destination",
        Reporter::Waypoint => "waypoint",
    }
}

/// The counts of a path, each as a phrase.
pub(super) fn counts(path: &Path) -> Vec<String> {
    let row = path.number.map_or("not in the table".to_owned(), |n| format!("row {n} of 26"));
    vec![
        row,
        counted(path.l7_parses(), "L7 parse"),
        counted(path.encrypted_segments(), "encrypted segment"),
        format!("at most {}", counted(path.cross_node_segments_at_most(), "node crossing")),
    ]
}

fn counted(count: usize, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

/// Breaks `text` into lines of at most `width` characters, at spaces. A longer word stands alone.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
