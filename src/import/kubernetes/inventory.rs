//! The objects of a model, sorted by kind and read.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::api::{
    Controller, Gateway, GatewayClass, HorizontalPodAutoscaler, Node, ObjectMeta, Pod, Service,
};
use super::catalogue::{Effect, effect_of_annotation, effect_of_field, effect_of_object};
use super::coverage::{Coverage, IgnoredField, IgnoredKind, ModelledKind};
use crate::import::manifests::Object;
use crate::import::own::{OwnObjects, is_own, read_own};
use crate::scenario::problem::Problems;

/// An object as read, with the place it came from.
#[derive(Clone, Debug)]
pub(super) struct Sourced<'o, T> {
    pub(super) object: &'o Object,
    pub(super) value: T,
}

/// Namespaces by name; those without an object are absent.
pub(super) type Namespaces = BTreeMap<String, ObjectMeta>;

/// Everything that is modelled, in the order of the files.
#[derive(Debug, Default)]
pub(super) struct Inventory<'o> {
    pub(super) namespaces: Namespaces,
    pub(super) nodes: Vec<Sourced<'o, Node>>,
    pub(super) controllers: Vec<Sourced<'o, Controller>>,
    pub(super) pods: Vec<Sourced<'o, Pod>>,
    pub(super) services: Vec<Sourced<'o, Service>>,
    pub(super) gateways: Vec<Sourced<'o, Gateway>>,
    pub(super) gateway_classes: Vec<Sourced<'o, GatewayClass>>,
    pub(super) autoscalers: Vec<Sourced<'o, HorizontalPodAutoscaler>>,
    /// Our own kinds.
    pub(super) own: OwnObjects,
    pub(super) notes: Notes,
    /// With whether anything points at it.
    config_maps: Vec<(&'o Object, bool)>,
}

/// What there is to tell about the model as a whole.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// Errors and warnings.
    pub(super) problems: Problems,
    modelled: BTreeMap<(String, String), usize>,
    /// By effect, kind, group and reason.
    ignored_kinds: BTreeMap<(Effect, String, String, String), IgnoredKind>,
    ignored_fields: BTreeMap<(Effect, String, String), IgnoredField>,
}

/// An object of which only the metadata is read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Bare {
    metadata: ObjectMeta,
}

impl<'o> Inventory<'o> {
    /// Reads what is modelled of `objects` and takes note of the rest.
    pub(super) fn of(objects: &'o [Object]) -> Self {
        let mut inventory = Self::default();
        inventory.own = read_own(objects, &mut inventory.notes.problems);
        for object in objects {
            inventory.take(object);
        }
        inventory
    }

    fn take(&mut self, object: &'o Object) {
        let notes = &mut self.notes;
        match (object.group.as_str(), object.kind.as_str()) {
            ("", "Namespace") => self.namespaces.extend(
                notes
                    .read(object)
                    .map(|read: Sourced<'_, Bare>| (object.name.clone(), read.value.metadata)),
            ),
            ("", "ServiceAccount") => drop(notes.read::<Bare>(object)),
            ("", "Node") => self.nodes.extend(notes.read(object)),
            ("", "Pod") => self.pods.extend(notes.read(object)),
            ("", "Service") => self.services.extend(notes.read(object)),
            ("apps" | "extensions", "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet") => {
                self.controllers.extend(notes.read(object));
            }
            ("autoscaling", "HorizontalPodAutoscaler") => {
                self.autoscalers.extend(
                    object
                        .read()
                        .unload(&mut notes.problems)
                        .map(|value| Sourced { object, value }),
                );
                notes.ignore(object);
            }
            ("gateway.networking.k8s.io", "Gateway") => self.gateways.extend(notes.read(object)),
            ("gateway.networking.k8s.io", "GatewayClass") => {
                self.gateway_classes.extend(notes.read(object));
            }
            ("", "ConfigMap") => self.config_maps.push((object, false)),
            // Experiments and calibrations say nothing about a cluster.
            ("meshsim", "Cluster" | "Behavior") => notes.count(object),
            _ if is_own(object) => {}
            _ => notes.ignore(object),
        }
    }

    /// The ConfigMap of this name, which is thereby modelled.
    pub(super) fn use_config_map(&mut self, namespace: &str, name: &str) -> Option<&'o Object> {
        let is_meant = |object: &Object| {
            object.name == name && object.namespace.as_deref().unwrap_or("default") == namespace
        };
        let (object, is_used) = self.config_maps.iter_mut().find(|(object, _)| is_meant(object))?;
        if !std::mem::replace(is_used, true) {
            self.notes.count(object);
        }
        Some(*object)
    }

    /// What was modelled and what was not. Assumptions and warnings are left to be added.
    pub(super) fn coverage(&mut self) -> Coverage {
        for (object, _) in self.config_maps.iter().filter(|(_, is_used)| !is_used) {
            self.notes.ignore(object);
        }
        let kinds = self.notes.modelled.iter();
        Coverage {
            modelled: kinds
                .map(|((kind, group), &objects)| ModelledKind {
                    kind: kind.clone(),
                    group: group.clone(),
                    objects,
                })
                .collect(),
            ignored_objects: self.notes.ignored_kinds.values().cloned().collect(),
            ignored_fields: self.notes.ignored_fields.values().cloned().collect(),
            ..Coverage::default()
        }
    }
}

impl Notes {
    /// Reads a modelled object.
    fn read<'o, T: DeserializeOwned>(&mut self, object: &'o Object) -> Option<Sourced<'o, T>> {
        self.count(object);
        let reading = object.read();
        self.ignore_fields(object, &reading.ignored);
        reading.unload(&mut self.problems).map(|value| Sourced { object, value })
    }

    fn count(&mut self, object: &Object) {
        let kind = (object.kind.clone(), object.group.clone());
        *self.modelled.entry(kind).or_default() += 1;
    }

    fn ignore(&mut self, object: &Object) {
        let (effect, why) = effect_of_object(object);
        self.ignore_because(object, effect, why);
    }

    /// Takes back that `object` is modelled, because of `why`.
    pub(super) fn reject(&mut self, object: &Object, why: &str) {
        let kind = (object.kind.clone(), object.group.clone());
        if let Some(count) = self.modelled.get_mut(&kind) {
            *count -= 1;
        }
        self.modelled.retain(|_, count| *count > 0);
        self.ignore_because(object, Effect::Matters, why);
    }

    fn ignore_because(&mut self, object: &Object, effect: Effect, why: &str) {
        let key = (effect, object.kind.clone(), object.group.clone(), why.to_owned());
        let kind = self.ignored_kinds.entry(key).or_insert_with(|| IgnoredKind {
            effect,
            kind: object.kind.clone(),
            group: object.group.clone(),
            objects: Vec::new(),
            why: why.to_owned(),
        });
        kind.objects.push(match &object.namespace {
            Some(namespace) => format!("{namespace}/{}", object.name),
            None => object.name.clone(),
        });
    }

    fn ignore_fields(&mut self, object: &Object, paths: &[String]) {
        let mut paths: Vec<String> = paths
            .iter()
            .map(|path| without_positions(path))
            .filter(|path| !is_bookkeeping(path))
            .collect();
        paths.sort();
        paths.dedup();
        for path in paths {
            self.ignore_field(object, path);
        }
    }

    fn ignore_field(&mut self, object: &Object, path: String) {
        let (effect, why) = match effect_of_field(&path) {
            Some(why) => (Effect::Matters, why),
            None => (Effect::None, ""),
        };
        self.ignore_part(object, path, effect, why);
    }

    fn ignore_part(&mut self, object: &Object, path: String, effect: Effect, why: &str) {
        let key = (effect, object.kind.clone(), path.clone());
        let field = self.ignored_fields.entry(key).or_insert_with(|| IgnoredField {
            effect,
            kind: object.kind.clone(),
            path,
            objects: 0,
            why: why.to_owned(),
        });
        field.objects += 1;
    }

    /// Takes note of annotations of pods that matter and are not modelled.
    pub(super) fn ignore_annotations(&mut self, object: &Object, metadata: &ObjectMeta) {
        for key in metadata.annotations.keys() {
            if let Some(why) = effect_of_annotation(key) {
                let path = format!("annotation {key}");
                self.ignore_part(object, path, Effect::Matters, why);
            }
        }
    }
}

/// `containers[3].image` as `containers[].image`.
fn without_positions(path: &str) -> String {
    let mut shown = String::with_capacity(path.len());
    let mut parts = path.split('[');
    shown.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let after = part.trim_start_matches(|c: char| c.is_ascii_digit());
        shown.push('[');
        shown.push_str(after);
    }
    shown
}

/// Whether a field is the API server's own record.
fn is_bookkeeping(path: &str) -> bool {
    let is_below =
        |parent: &str| path.strip_prefix(parent).is_some_and(|rest| rest.starts_with('.'));
    matches!(path, "apiVersion" | "kind" | "status")
        || is_below("metadata")
        || is_below("status")
        || is_below("spec.template.metadata")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_in_lists_are_left_out_of_paths() {
        assert_eq!(without_positions("a.b[12].c[0]"), "a.b[].c[]");
        assert_eq!(without_positions("a[\"x.y/z\"]"), "a[\"x.y/z\"]");
    }

    #[test]
    fn the_api_servers_records_are_no_fields_to_tell_of() {
        assert!(is_bookkeeping("metadata.managedFields"));
        assert!(is_bookkeeping("status.conditions"));
        assert!(!is_bookkeeping("spec.strategy"));
    }
}
