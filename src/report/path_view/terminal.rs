//! A path as two aligned tables of plain text: the way, and who decides on it.

use super::{HopName, NamedPath, words};
use crate::mesh::path::{Hop, Path};

const WAY: [&str; 6] = ["", "process", "pod", "node", "arrives as", "sees"];
const DECISIONS: [&str; 9] =
    ["", "process", "picks", "per", "by", "retries at", "ejects on", "authorises", "measures"];
/// Notes are broken to this many characters.
const NOTE_WIDTH: usize = 100;

/// `named` as tables under its title and counts and above its notes.
///
/// The first table has a line per hop, the second a line per hop that decides anything. Columns
/// are as wide as their longest cell and two spaces apart; columns that stay empty are left out.
/// No line ends in spaces.
pub fn terminal(named: &NamedPath) -> String {
    let way: Vec<_> =
        named.hops().enumerate().map(|(at, (hop, name))| way(at, hop, name)).collect();
    let decisions: Vec<_> = (0..named.path.hops.len())
        .map(|at| decisions(&named.path, at))
        .filter(|cells| cells[2..].iter().any(|cell| !cell.is_empty()))
        .collect();
    let mut text = format!("{}\n{}\n\n", named.title, words::counts(&named.path).join(", "));
    text.push_str(&aligned(&WAY, &way));
    text.push('\n');
    text.push_str(&aligned(&DECISIONS, &decisions));
    if !named.path.notes.is_empty() {
        text.push('\n');
    }
    for note in &named.path.notes {
        text.push_str(&format!("- {}\n", words::wrapped(note, NOTE_WIDTH).join("\n  ")));
    }
    text
}

fn way(index: usize, hop: &Hop, name: &HopName) -> [String; 6] {
    let port = hop.port.or(name.port).map_or(String::new(), |port| format!(" :{port}"));
    [
        (index + 1).to_string(),
        words::process(hop.actor).to_owned(),
        name.pod.clone().unwrap_or_default(),
        name.node.clone().unwrap_or_default(),
        hop.arrives.map(|wire| words::wire(wire).to_owned() + &port).unwrap_or_default(),
        words::layer(hop.layer).to_owned(),
    ]
}

fn decisions(path: &Path, index: usize) -> [String; 9] {
    let hop = &path.hops[index];
    let cell = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let identity = words::identity(path.peer_identity(index));
    [
        (index + 1).to_string(),
        words::process(hop.actor).to_owned(),
        cell(hop.chooses.map(|choice| words::chosen(choice.of))),
        cell(hop.chooses.map(|choice| words::per(choice.per))),
        cell(hop.chooses.map(|choice| words::balancing(choice.by))),
        cell(hop.retries.map(words::retries)),
        cell(hop.ejects.map(words::ejects)),
        hop.authorises
            .map(|layer| format!("{} from {identity}", words::units(layer)))
            .unwrap_or_default(),
        hop.measures
            .map(|m| format!("{} as {}", words::layer(m.layer), words::reporter(m.reporter)))
            .unwrap_or_default(),
    ]
}

fn aligned<const N: usize>(heads: &[&str; N], rows: &[[String; N]]) -> String {
    let widest = |at: usize| rows.iter().map(|row| row[at].chars().count()).max();
    let columns: Vec<(usize, usize)> = (0..N)
        .filter_map(|at| Some((at, widest(at)?)))
        .filter(|&(_, width)| width > 0)
        .map(|(at, width)| (at, width.max(heads[at].chars().count())))
        .collect();
    let line = |cell: &dyn Fn(usize) -> String| {
        let padded = columns.iter().map(|&(at, width)| format!("{:width$}", cell(at)));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let mut text = line(&|at| heads[at].to_owned());
    for row in rows {
        text.push_str(&line(&|at| row[at].clone()));
    }
    text
}
