//! A path as JSON, for machines.

use serde::Serialize;

use super::{NamedPath, words};
use crate::mesh::path::{Hop, Identity, PathQuery};

/// The document. Keys are camel case as in Kubernetes, values are those of `mesh::path`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    title: &'a str,
    /// Row of the path table; null if the combination is not listed.
    row: Option<u8>,
    query: &'a PathQuery,
    l7_parses: usize,
    encrypted_segments: usize,
    cross_node_segments_at_most: usize,
    needs_permissive: bool,
    bypasses_waypoint: bool,
    hops: Vec<NamedHop<'a>>,
    notes: &'a [&'static str],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NamedHop<'a> {
    process: &'static str,
    pod: Option<&'a str>,
    #[serde(rename = "nodeName")]
    node: Option<&'a str>,
    #[serde(flatten)]
    hop: Hop,
    /// Whose certificate it is shown.
    peer_identity: Option<Identity>,
}

/// `named` as an indented JSON document that ends in a newline.
///
/// # Errors
///
/// Those of `serde_json`; none are known to occur.
pub fn json(named: &NamedPath) -> Result<String, serde_json::Error> {
    let path = &named.path;
    let hops = named.hops().enumerate().map(|(index, (hop, name))| NamedHop {
        process: words::process(hop.actor),
        pod: name.pod.as_deref(),
        node: name.node.as_deref(),
        hop: Hop { port: hop.port.or(name.port), ..*hop },
        peer_identity: path.peer_identity(index),
    });
    let document = Document {
        title: &named.title,
        row: path.number,
        query: &path.query,
        l7_parses: path.l7_parses(),
        encrypted_segments: path.encrypted_segments(),
        cross_node_segments_at_most: path.cross_node_segments_at_most(),
        needs_permissive: path.needs_permissive(),
        bypasses_waypoint: path.bypasses_waypoint(),
        hops: hops.collect(),
        notes: &path.notes,
    };
    serde_json::to_string_pretty(&document).map(|text| text + "\n")
}
