//! From a tree to typed values, with every problem at once.
//!
//! Serde stops at the first error. Here an error names the node it came from; that node is then
//! hidden and the whole value read again, until it can be read or nothing is left. What is read
//! is thus the value without its faulty parts, good enough to check the rest of it.
//!
//! Kubernetes semantics: a field set to null is a field left out (`encoding/json` leaves the zero
//! value). A number in quotes, or a plain number where text is meant, is taken with a warning,
//! though an API server refuses it.

mod deserializer;
mod error;
mod places;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serde::de::DeserializeOwned;

use super::limits;
use super::node::Node;
use super::path::{Segment, show_path};
use crate::scenario::problem::{Problem, Problems};
use deserializer::NodeDeserializer;
use error::{Fault, ReadError};

/// What became of reading a value.
#[derive(Debug)]
pub struct Reading<T> {
    /// The value without its faulty parts; nothing if too little was left of it.
    pub value: Option<T>,
    /// Errors and warnings, with path, value, rule and place.
    pub problems: Vec<Problem>,
    /// Paths of fields that the type does not know, in the order of the file.
    pub ignored: Vec<String>,
}

impl<T> Reading<T> {
    /// The value, its problems moved to `problems`.
    pub fn unload(self, problems: &mut Problems) -> Option<T> {
        problems.extend(self.problems);
        self.value
    }
}

/// Reads a `T` from `node`, finding all problems at once.
pub fn read_value<T: DeserializeOwned>(node: &Node) -> Reading<T> {
    let mut context = Context::default();
    let mut faults = Vec::new();
    let value = loop {
        context.begin();
        match T::deserialize(NodeDeserializer::new(node, &context)) {
            Ok(value) => break Some(value),
            Err(error) => {
                if !hide(node, error, &mut context, &mut faults) {
                    break None;
                }
            }
        }
    };
    conclude(node, value, context, faults)
}

/// Nodes are told apart by their addresses: the tree does not change while it is read.
type Id = usize;

fn id(node: &Node) -> Id {
    std::ptr::from_ref(node) as Id
}

/// What the deserializers of one reading share.
#[derive(Default)]
struct Context {
    hidden: BTreeSet<Id>,
    ignored: RefCell<Vec<Id>>,
    coerced: RefCell<BTreeMap<Id, Coercion>>,
}

/// A scalar that was taken for what it is not.
#[derive(Clone, Copy)]
enum Coercion {
    /// `"3"` where a number is meant.
    QuotedNumber,
    /// `"true"` where a boolean is meant.
    QuotedBool,
    /// `yes` where a boolean is meant.
    Yaml11Bool,
    /// `1.10` or `true` where text is meant.
    PlainText,
}

impl Context {
    fn begin(&mut self) {
        self.ignored.get_mut().clear();
        self.coerced.get_mut().clear();
    }

    fn is_hidden(&self, node: &Node) -> bool {
        self.hidden.contains(&id(node))
    }

    fn ignore(&self, node: &Node) {
        self.ignored.borrow_mut().push(id(node));
    }

    fn coerce(&self, node: &Node, coercion: Coercion) {
        self.coerced.borrow_mut().insert(id(node), coercion);
    }
}

/// Records `error` and hides what it came from; false if that was the whole value.
fn hide(
    root: &Node,
    error: ReadError,
    context: &mut Context,
    faults: &mut Vec<(Id, Fault)>,
) -> bool {
    let at = error.at.unwrap_or_else(|| id(root));
    let is_new = match &error.fault {
        Fault::Missing(field) => !has_hidden_field(root, at, field, context),
        _ => true,
    };
    if is_new {
        faults.push((at, error.fault));
    }
    at != id(root) && faults.len() < limits::PROBLEMS && context.hidden.insert(at)
}

/// Whether `field` is missing only because it was faulty and has been hidden.
fn has_hidden_field(root: &Node, mapping: Id, field: &str, context: &Context) -> bool {
    places::node_of(root, mapping)
        .and_then(|node| node.get(field))
        .is_some_and(|value| context.is_hidden(value))
}

fn conclude<T>(
    root: &Node,
    value: Option<T>,
    context: Context,
    faults: Vec<(Id, Fault)>,
) -> Reading<T> {
    let coerced = context.coerced.into_inner();
    let ignored = context.ignored.into_inner();
    let wanted = faults.iter().map(|(id, _)| *id).chain(coerced.keys().copied());
    let places = places::find_all(root, wanted.chain(ignored.iter().copied()).collect());
    let errors = faults.iter().filter_map(|(id, fault)| {
        let (path, node) = places.get(id)?;
        Some(error::explain(root, node, path, fault))
    });
    let warnings = coerced.iter().filter_map(|(id, coercion)| {
        let (path, node) = places.get(id)?;
        Some(warn(node, path, *coercion))
    });
    let problems = errors.chain(warnings).collect();
    let ignored = ignored.iter().filter_map(|id| Some(show_path(&places.get(id)?.0))).collect();
    Reading { value, problems, ignored }
}

fn warn(node: &Node, path: &[Segment], coercion: Coercion) -> Problem {
    let found = node.shown();
    let (rule, hint) = match coercion {
        Coercion::QuotedNumber => ("is text where a number is meant", "remove the quotes"),
        Coercion::QuotedBool => ("is text where true or false is meant", "remove the quotes"),
        Coercion::Yaml11Bool => ("is true or false only in YAML 1.1", "write `true` or `false`"),
        Coercion::PlainText => ("is no text unless it is quoted", "put it in quotes"),
    };
    Problem::statement(show_path(path), format!("{found} {rule}"))
        .warning()
        .at(node.location())
        .hint(hint)
}

#[cfg(test)]
mod tests;
