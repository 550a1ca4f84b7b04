//! Setting one field of one object of a model: what `sweep` and `set` write as
//! `DestinationRule/payment:trafficPolicy.outlierDetection.interval: 5s`.

use std::fmt;

use serde_json::Value as Json;

use crate::import::manifests::Object;
use crate::import::yaml::{self, Entry, Key, Node, Segment, Value};
use crate::scenario::problem::{SourceFile, Span};
use crate::scenario::spec::OverridePath;

/// The namespace of objects that name none.
const DEFAULT_NAMESPACE: &str = "default";

/// Why a field could not be set: the end of a sentence that begins with its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsettable {
    /// No such object; those of the kind.
    NoObject(Vec<String>),
    /// Several objects; their labels.
    Ambiguous(Vec<String>),
    /// Not a path.
    Malformed,
    /// The path leads through something that is no mapping or list, or past the end of a list.
    NoSuchPlace(String),
    /// The value cannot be written as YAML.
    NoValue,
}

impl fmt::Display for Unsettable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoObject(others) if others.is_empty() => {
                f.write_str("names an object of a kind that the model does not have")
            }
            Self::NoObject(others) => {
                write!(f, "names no object of the model; it has {}", others.join(", "))
            }
            Self::Ambiguous(objects) => {
                write!(f, "names several objects: {}", objects.join(", "))
            }
            Self::Malformed => f.write_str("must end in a path such as `spec.http[0].timeout`"),
            Self::NoSuchPlace(part) => write!(f, "leads nowhere: the object has no `{part}`"),
            Self::NoValue => f.write_str("has a value that cannot be written as YAML"),
        }
    }
}

/// Sets the field that `path` names in one of `objects` to `value`.
///
/// The path goes from the object, or from its `spec` if the object has no such field itself.
/// Mappings on the way are made if missing; an element of a list must be there, or be the first
/// after its end.
///
/// # Errors
///
/// If the object or the place cannot be found; nothing is changed then.
pub fn set_field(
    objects: &mut [Object],
    path: &OverridePath,
    value: &Json,
) -> Result<(), Unsettable> {
    let OverridePath::Object { kind, namespace, name, path } = path else {
        return Err(Unsettable::Malformed);
    };
    let at = position(objects, kind, namespace.as_deref(), name)?;
    let segments = yaml::split_path(path).ok_or(Unsettable::Malformed)?;
    let file = format!("value of {kind}/{name}:{path}");
    let node = tree(file, value).ok_or(Unsettable::NoValue)?;
    let mut changed = objects[at].node.clone();
    set_in(&mut changed, &from_root(&objects[at].node, segments), node, path)?;
    objects[at].node = changed;
    Ok(())
}

fn position(
    objects: &[Object],
    kind: &str,
    namespace: Option<&str>,
    name: &str,
) -> Result<usize, Unsettable> {
    let of_kind = || objects.iter().enumerate().filter(|(_, object)| object.kind == kind);
    let is_meant = |object: &Object| {
        let own = object.namespace.as_deref().unwrap_or(DEFAULT_NAMESPACE);
        object.name == name && namespace.is_none_or(|wanted| wanted == own)
    };
    let labels = |found: &[(usize, &Object)]| found.iter().map(|(_, o)| o.label()).collect();
    let meant: Vec<_> = of_kind().filter(|(_, object)| is_meant(object)).collect();
    match meant.as_slice() {
        [(at, _)] => Ok(*at),
        [] => Err(Unsettable::NoObject(labels(&of_kind().collect::<Vec<_>>()))),
        several => Err(Unsettable::Ambiguous(labels(several))),
    }
}

/// The value as a tree in a text of its own, so that problems can show it.
fn tree(file: String, value: &Json) -> Option<Node> {
    let parsed = yaml::parse(&SourceFile::new(file, value.to_string()));
    parsed.documents.into_iter().next()
}

/// The path from the object, which may be written from its `spec`.
fn from_root(object: &Node, path: Vec<Segment>) -> Vec<Segment> {
    let starts_at_root = match path.first() {
        Some(Segment::Key(key)) => {
            object.get(key).is_some() || matches!(key.as_str(), "metadata" | "spec" | "data")
        }
        _ => true,
    };
    if starts_at_root {
        return path;
    }
    [Segment::Key("spec".to_owned())].into_iter().chain(path).collect()
}

fn set_in(node: &mut Node, path: &[Segment], value: Node, whole: &str) -> Result<(), Unsettable> {
    let Some((first, rest)) = path.split_first() else {
        *node = value;
        return Ok(());
    };
    let nowhere = || Unsettable::NoSuchPlace(whole.to_owned());
    if node.is_null() {
        *node.value_mut() = empty_for(first);
    }
    let empty =
        Node::new(empty_for(rest.first().unwrap_or(first)), Span::default(), node.file().clone());
    let next = match (first, node.value_mut()) {
        (Segment::Key(key), Value::Mapping(entries)) => value_of(entries, key, empty),
        (Segment::Index(index), Value::Sequence(items)) => {
            if *index == items.len() {
                items.push(empty);
            }
            items.get_mut(*index).ok_or_else(nowhere)?
        }
        _ => return Err(nowhere()),
    };
    set_in(next, rest, value, whole)
}

fn empty_for(segment: &Segment) -> Value {
    match segment {
        Segment::Key(_) => Value::Mapping(Vec::new()),
        Segment::Index(_) => Value::Sequence(Vec::new()),
    }
}

/// The value of `key`, which is `empty` if there is none yet.
fn value_of<'a>(entries: &'a mut Vec<Entry>, key: &str, empty: Node) -> &'a mut Node {
    let found = entries.iter().position(|entry| &*entry.key.text == key);
    let at = found.unwrap_or(entries.len());
    if at == entries.len() {
        let key = Key { text: key.into(), span: Span::default() };
        entries.push(Entry { key, value: empty });
    }
    &mut entries[at].value
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::import::manifests::load_text;

    const MODEL: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: {name: cart, namespace: shop}
spec:
  replicas: 1
  template: {spec: {containers: [{name: cart}]}}
---
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: shop}
spec: {ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: cart, namespace: test}
spec:
";

    /// The shown value at `place` of the object, after `path` was set in it.
    fn after(object: &str, path: &str, value: Json, place: &str) -> Result<String, Unsettable> {
        let mut objects = load_text("model.yaml", MODEL).objects;
        let path: OverridePath = format!("{object}:{path}").parse().unwrap();
        set_field(&mut objects, &path, &value)?;
        let place = yaml::split_path(place).unwrap();
        let changed =
            objects.iter().find(|o| o.label().replace("/shop", "") == object.replace("/shop", ""));
        Ok(yaml::find(&changed.unwrap().node, &place).unwrap().shown())
    }

    #[test]
    fn a_field_is_set_from_the_object_or_from_its_spec() {
        assert_eq!(after("Deployment/cart", "replicas", json!(3), "spec.replicas").unwrap(), "3");
        assert_eq!(
            after("Deployment/cart", "spec.replicas", json!(3), "spec.replicas").unwrap(),
            "3"
        );
        let image = "template.spec.containers[0].image";
        assert_eq!(
            after("Deployment/cart", image, json!("a"), &format!("spec.{image}")).unwrap(),
            "`a`"
        );
    }

    #[test]
    fn mappings_and_next_elements_on_the_way_are_made() {
        let label = "metadata.labels[\"istio.io/use-waypoint\"]";
        assert_eq!(after("Service/shop/cart", label, json!("w"), label).unwrap(), "`w`");
        let port = "spec.ports[1].port";
        assert_eq!(after("Service/shop/cart", port, json!(81), port).unwrap(), "81");
        assert_eq!(
            after("Service/test/cart", "ports[0].port", json!(1), "spec.ports[0].port").unwrap(),
            "1"
        );
    }

    #[test]
    fn what_cannot_be_found_is_told_with_what_there_is() {
        let set = |object, path| after(object, path, json!(1), "").unwrap_err().to_string();
        assert_eq!(
            set("Deployment/carts", "replicas"),
            "names no object of the model; it has Deployment/shop/cart"
        );
        assert_eq!(
            set("Service/cart", "clusterIP"),
            "names several objects: Service/shop/cart, Service/test/cart"
        );
        assert_eq!(
            set("Deployment/cart", "template.spec.containers[4].image"),
            "leads nowhere: the object has no `template.spec.containers[4].image`"
        );
        assert_eq!(
            set("Deployment/cart", "replicas.min"),
            "leads nowhere: the object has no `replicas.min`"
        );
        assert!(set("Gateway/a", "x").contains("a kind that the model does not have"));
    }
}
