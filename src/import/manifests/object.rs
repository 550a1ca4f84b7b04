//! One object of a cluster, as written.

use serde::de::DeserializeOwned;

use super::super::yaml::{Node, Reading, read_value};
use crate::scenario::problem::{Location, Problem};

/// An object as written: what kind it is, what it is called, and all that it says.
#[derive(Clone, Debug)]
pub struct Object {
    /// Group and version: `apps/v1`, `v1`.
    pub api_version: String,
    /// The group of the API, empty for core: `apps`, `networking.istio.io`, `meshsim`.
    pub group: String,
    /// The kind. Only with the group does it say what the object is.
    pub kind: String,
    /// The namespace, if it is given.
    pub namespace: Option<String>,
    /// The name; empty if it is not given (`generateName`, our `Cluster`).
    pub name: String,
    /// The whole object, as written.
    pub node: Node,
}

impl Object {
    /// The object as `kubectl` names it, with its namespace if it is given: `Deployment/shop/cart`;
    /// only the kind if it has no name.
    pub fn label(&self) -> String {
        match &self.namespace {
            _ if self.name.is_empty() => self.kind.clone(),
            Some(namespace) => format!("{}/{namespace}/{}", self.kind, self.name),
            None => format!("{}/{}", self.kind, self.name),
        }
    }

    /// Where it stands.
    pub fn origin(&self) -> Location {
        self.node.location()
    }

    /// The value of the annotation `key`.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.node.get_in(&["metadata", "annotations", key])?.text()
    }

    /// The value of the label `key`.
    pub fn object_label(&self, key: &str) -> Option<&str> {
        self.node.get_in(&["metadata", "labels", key])?.text()
    }

    /// Reads the whole object as `T`; problems name the object.
    pub fn read<T: DeserializeOwned>(&self) -> Reading<T> {
        let mut reading = read_value(&self.node);
        let label = self.label();
        let named = |problem: Problem| problem.within(label.clone());
        reading.problems = reading.problems.into_iter().map(named).collect();
        reading
    }

    /// The same `problem`, with the place that its path names in this object.
    pub fn locate(&self, problem: Problem) -> Problem {
        let path = super::super::yaml::split_path(&problem.path).unwrap_or_default();
        let place = super::super::yaml::locate(&self.node, &path);
        problem.at(place).within(self.label())
    }
}
