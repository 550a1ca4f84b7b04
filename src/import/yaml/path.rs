//! Paths into a tree: `spec.http[0].route`, `metadata.labels["app.kubernetes.io/name"]`.

use std::sync::Arc;

use super::node::Node;
use crate::scenario::problem::Location;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Into the value of a key.
    Key(String),
    /// Into an element of a list, counted from 0.
    Index(usize),
}

/// The path as text; keys that hold dots or brackets in `["…"]`.
pub fn show_path(segments: &[Segment]) -> String {
    let mut shown = String::new();
    for segment in segments {
        match segment {
            Segment::Index(index) => shown.push_str(&format!("[{index}]")),
            Segment::Key(key) if !is_simple(key) => shown.push_str(&format!("[\"{key}\"]")),
            Segment::Key(key) if shown.is_empty() => shown.push_str(key),
            Segment::Key(key) => shown.push_str(&format!(".{key}")),
        }
    }
    shown
}

fn is_simple(key: &str) -> bool {
    !key.is_empty()
        && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '<'))
}

/// The steps of a path as text, or nothing if it is malformed.
pub fn split_path(path: &str) -> Option<Vec<Segment>> {
    let mut segments = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix("[\"") {
            let (key, after) = quoted.split_once("\"]")?;
            segments.push(Segment::Key(key.to_owned()));
            rest = after;
        } else if let Some(bracketed) = rest.strip_prefix('[') {
            let (index, after) = bracketed.split_once(']')?;
            segments.push(Segment::Index(index.parse().ok()?));
            rest = after;
        } else {
            let name = match rest.strip_prefix('.') {
                Some(name) if !segments.is_empty() => name,
                None if segments.is_empty() => rest,
                _ => return None,
            };
            let end = name.find(['.', '[']).unwrap_or(name.len());
            if end == 0 {
                return None;
            }
            segments.push(Segment::Key(name[..end].to_owned()));
            rest = &name[end..];
        }
    }
    Some(segments)
}

/// The value at `path` below `node`.
pub fn find<'a>(node: &'a Node, path: &[Segment]) -> Option<&'a Node> {
    path.iter().try_fold(node, step)
}

fn step<'a>(node: &'a Node, segment: &Segment) -> Option<&'a Node> {
    match segment {
        Segment::Key(key) => node.get(key),
        Segment::Index(index) => node.items().get(*index),
    }
}

/// Where to point for `path`: at a scalar itself, at the key of anything larger, and for what is
/// missing at the nearest part that is there.
pub fn locate(node: &Node, path: &[Segment]) -> Location {
    let mut here = node;
    let mut location = node.location();
    for segment in path {
        let Some(next) = step(here, segment) else { break };
        location = match segment {
            Segment::Key(key) if next.scalar().is_none_or(|scalar| scalar.text().is_empty()) => {
                here.key_location(key).unwrap_or_else(|| next.location())
            }
            _ => next.location(),
        };
        here = next;
    }
    location
}

/// Where the key that ends `path` stands.
pub(super) fn locate_key(node: &Node, path: &[Segment]) -> Option<Location> {
    let (Segment::Key(key), parents) = path.split_last()? else { return None };
    let parent = find(node, parents)?;
    let entry = parent.entry(key)?;
    Some(Location { file: Arc::clone(entry.value.file()), span: entry.key.span })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_survive_the_round_trip() {
        for path in
            ["", "spec", "spec.http[0].route", "metadata.labels[\"a.b/c\"].x", "[3][4]", "items[2]"]
        {
            assert_eq!(
                split_path(path).map(|segments| show_path(&segments)).as_deref(),
                Some(path)
            );
        }
    }

    #[test]
    fn malformed_paths_are_refused() {
        for path in [".a", "a..b", "a[", "a[x]", "a.", "a[\"b"] {
            assert_eq!(split_path(path), None, "{path}");
        }
    }
}
