//! Fields of objects set by an experiment: `set` of a variant, an axis of a sweep.

use std::sync::Arc;

use serde_json::Value as Json;

use super::manifests::Object;
use super::yaml::{Entry, Key, Node, Scalar, Segment, Style, Value, split_path};
use crate::scenario::problem::{Location, Problem};
use crate::scenario::spec::OverridePath;

/// What every object may have at its top; other paths start at `spec`.
const TOP_LEVEL: [&str; 6] = ["apiVersion", "kind", "metadata", "spec", "status", "data"];

/// Sets the field that `path` names in one of `objects` to `value`, which stands at `origin`.
///
/// Mappings on the way are made if they are missing; elements of lists must exist. Loads are
/// no objects: their overrides are for whoever reads the experiment.
///
/// # Errors
///
/// If `path` names no object, several, or no place that can be.
pub fn set_field(
    objects: &mut [Object],
    path: &OverridePath,
    value: &Json,
    origin: &Location,
) -> Result<(), Box<Problem>> {
    let OverridePath::Object { kind, namespace, name, path } = path else {
        return refuse("load", "is set in the experiment, not in an object", origin);
    };
    let label = match namespace {
        Some(namespace) => format!("{kind}/{namespace}/{name}"),
        None => format!("{kind}/{name}"),
    };
    let names = |object: &&mut Object| {
        object.kind == *kind
            && object.name == *name
            && (namespace.is_none() || object.namespace == *namespace)
    };
    let mut named = objects.iter_mut().filter(names);
    match (named.next(), named.next()) {
        (None, _) => refuse(&label, "names no object of the model", origin),
        (Some(_), Some(_)) => {
            refuse(&label, "names several objects; write KIND/NAMESPACE/NAME", origin)
        }
        (Some(object), None) => set_in(object, path, value, origin),
    }
}

fn refuse(subject: &str, sentence: &str, origin: &Location) -> Result<(), Box<Problem>> {
    Err(Box::new(Problem::statement(subject, sentence).at(origin.clone())))
}

fn set_in(
    object: &mut Object,
    path: &str,
    value: &Json,
    origin: &Location,
) -> Result<(), Box<Problem>> {
    let label = object.label();
    let Some(mut segments) = split_path(path).filter(|segments| !segments.is_empty()) else {
        return refuse(path, "is no path, such as `http[0].retries.attempts`", origin);
    };
    if !matches!(&segments[0], Segment::Key(key) if TOP_LEVEL.contains(&key.as_str())) {
        segments.insert(0, Segment::Key("spec".to_owned()));
    }
    match place(&mut object.node, &segments, origin) {
        Some(place) => {
            *place = from_json(value, origin);
            Ok(())
        }
        None => refuse(path, &format!("leads nowhere in {label}"), origin),
    }
}

/// The node at `path`, mappings on the way made if need be.
fn place<'a>(node: &'a mut Node, path: &[Segment], origin: &Location) -> Option<&'a mut Node> {
    let Some((segment, rest)) = path.split_first() else { return Some(node) };
    if node.is_null() && matches!(segment, Segment::Key(_)) {
        *node.value_mut() = Value::Mapping(Vec::new());
    }
    let next = match (node.value_mut(), segment) {
        (Value::Mapping(entries), Segment::Key(key)) => entry(entries, key, origin),
        (Value::Sequence(items), Segment::Index(index)) => items.get_mut(*index)?,
        _ => return None,
    };
    place(next, rest, origin)
}

fn entry<'a>(entries: &'a mut Vec<Entry>, key: &str, origin: &Location) -> &'a mut Node {
    let position = entries.iter().position(|entry| &*entry.key.text == key);
    let position = position.unwrap_or_else(|| {
        let key = Key { text: key.into(), span: origin.span };
        entries.push(Entry { key, value: from_json(&Json::Null, origin) });
        entries.len() - 1
    });
    &mut entries[position].value
}

/// The tree of a JSON value, all of it at `origin`.
fn from_json(json: &Json, origin: &Location) -> Node {
    let plain = |text: String| Value::Scalar(Scalar::new(text, Style::Plain));
    let value = match json {
        Json::Null => plain("null".to_owned()),
        Json::Bool(value) => plain(value.to_string()),
        Json::Number(number) => plain(number.to_string()),
        Json::String(text) => Value::Scalar(Scalar::new(text.as_str(), Style::Quoted)),
        Json::Array(items) => {
            Value::Sequence(items.iter().map(|item| from_json(item, origin)).collect())
        }
        Json::Object(fields) => Value::Mapping(
            fields
                .iter()
                .map(|(key, value)| Entry {
                    key: Key { text: key.as_str().into(), span: origin.span },
                    value: from_json(value, origin),
                })
                .collect(),
        ),
    };
    Node::new(value, origin.span, Arc::clone(&origin.file))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::manifests::load_text;
    use super::*;

    const RULE: &str = "apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: payment}
spec:
  http: [{retries: {attempts: 1}}]
";

    fn set(path: &str, value: &Json) -> Result<Node, String> {
        let mut objects = load_text("a.yaml", RULE).objects;
        let origin = objects[0].origin();
        let path = path.parse().map_err(|_| "malformed".to_owned())?;
        set_field(&mut objects, &path, value, &origin).map_err(|problem| problem.sentence())?;
        Ok(objects.remove(0).node)
    }

    #[test]
    fn fields_are_set_from_the_spec_or_from_the_top() {
        let node = set("VirtualService/payment:http[0].retries.attempts", &json!(3)).unwrap();
        let retries = &node.get_in(&["spec", "http"]).unwrap().items()[0];
        assert_eq!(retries.get_in(&["retries", "attempts"]).unwrap().text(), Some("3"));

        let node = set("VirtualService/payment:metadata.labels[\"a.b/c\"]", &json!("x")).unwrap();
        assert_eq!(node.get_in(&["metadata", "labels", "a.b/c"]).unwrap().text(), Some("x"));
    }

    #[test]
    fn missing_mappings_are_made() {
        let node = set("VirtualService/payment:a.b.c", &json!({"d": [1]})).unwrap();
        assert_eq!(node.get_in(&["spec", "a", "b", "c", "d"]).unwrap().items().len(), 1);
    }

    #[test]
    fn what_is_not_there_is_named() {
        let sentence = |path| set(path, &json!(1)).unwrap_err();
        assert_eq!(sentence("Gateway/payment:a"), "Gateway/payment names no object of the model");
        assert_eq!(
            sentence("VirtualService/payment:http[7].timeout"),
            "http[7].timeout leads nowhere in VirtualService/payment"
        );
        assert_eq!(
            sentence("VirtualService/payment:a..b"),
            "a..b is no path, such as `http[0].retries.attempts`"
        );
    }
}
