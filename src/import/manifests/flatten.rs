//! Documents to objects: lists of every form are taken apart.

use super::super::yaml::{Entry, Node, RENDER_HINT, Value, is_templated};
use super::object::Object;
use crate::scenario::problem::{Problem, Problems};

/// Adds the objects in `document` to `objects`; false if it holds none and is no list.
pub(super) fn flatten(document: Node, objects: &mut Vec<Object>, problems: &mut Problems) -> bool {
    take(document, None, objects, problems)
}

/// `item_type` is the version and kind of items of a typed list, which do not say it themselves.
fn take(
    node: Node,
    item_type: Option<(&str, &str)>,
    objects: &mut Vec<Object>,
    problems: &mut Problems,
) -> bool {
    if node.is_sequence() {
        // A list counts as objects if any element does: an array of numbers is none.
        return take_items(node.into_value(), item_type, objects, problems);
    }
    let own = |key| node.get(key).and_then(Node::text);
    let kind = own("kind").or(item_type.map(|(_, kind)| kind)).map(str::to_owned);
    let version = own("apiVersion").or(item_type.map(|(version, _)| version)).map(str::to_owned);
    match (version, kind) {
        (Some(version), Some(kind)) if is_list(&node, &kind) => {
            take_list(node, &version, &kind, objects, problems);
            true
        }
        (Some(version), Some(kind)) => {
            objects.extend(object(node, version, kind, problems));
            true
        }
        (None, Some(kind)) if node.get("metadata").is_some() => {
            let problem = Problem::statement("apiVersion", "is missing").at(node.location());
            problems.push(problem.within(kind));
            true
        }
        _ => false,
    }
}

/// `List`, and `DeploymentList` as the API itself answers.
fn is_list(node: &Node, kind: &str) -> bool {
    kind == "List" || kind.ends_with("List") && node.get("items").is_some_and(Node::is_sequence)
}

fn take_list(
    node: Node,
    version: &str,
    kind: &str,
    objects: &mut Vec<Object>,
    problems: &mut Problems,
) {
    let item_type = kind.strip_suffix("List").filter(|kind| !kind.is_empty());
    let Value::Mapping(entries) = node.into_value() else { return };
    let items = entries.into_iter().find(|entry| &*entry.key.text == "items");
    if let Some(Entry { value, .. }) = items {
        take_items(value.into_value(), item_type.map(|kind| (version, kind)), objects, problems);
    }
}

fn take_items(
    items: Value,
    item_type: Option<(&str, &str)>,
    objects: &mut Vec<Object>,
    problems: &mut Problems,
) -> bool {
    let Value::Sequence(items) = items else { return false };
    let mut found = false;
    for item in items {
        found |= take(item, item_type, objects, problems);
    }
    found
}

fn object(
    mut node: Node,
    api_version: String,
    kind: String,
    problems: &mut Problems,
) -> Option<Object> {
    let metadata = |key| node.get_in(&["metadata", key]).and_then(Node::text).map(str::to_owned);
    let (name, namespace) = (metadata("name").unwrap_or_default(), metadata("namespace"));
    for (path, text) in [("kind", &kind), ("metadata.name", &name)] {
        if is_templated(text) {
            let problem = Problem::statement(path, format!("is `{text}`, a template"));
            problems.push(problem.at(node.location()).hint(RENDER_HINT));
            return None;
        }
    }
    let group = api_version.split_once('/').map_or("", |(group, _)| group).to_owned();
    if group.is_empty() && kind == "Secret" {
        drop_secrets(&mut node);
    }
    Some(Object { api_version, group, kind, namespace, name, node })
}

/// Takes out what must never be shown.
fn drop_secrets(secret: &mut Node) {
    if let Value::Mapping(entries) = secret.value_mut() {
        entries.retain(|entry| !matches!(&*entry.key.text, "data" | "stringData"));
    }
}
