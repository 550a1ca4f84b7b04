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
mod filler;
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
    /// Paths of the faulty parts that `value` lacks.
    dropped: Vec<Vec<Segment>>,
}

impl<T> Reading<T> {
    /// The value, its problems moved to `problems`.
    pub fn unload(self, problems: &mut Problems) -> Option<T> {
        problems.extend(self.problems);
        self.value
    }

    /// The path in the file of what stands at `path` in the value: list elements that were
    /// dropped count again. `None` if it speaks of what was dropped or of what holds that, which
    /// has been reported already.
    pub fn path_in_file(&self, path: &[Segment]) -> Option<Vec<Segment>> {
        let mut restored: Vec<Segment> = Vec::with_capacity(path.len());
        for segment in path {
            restored.push(match segment {
                Segment::Index(index) => Segment::Index(self.index_in_file(&restored, *index)),
                key => key.clone(),
            });
        }
        let is_reported = self.dropped.iter().any(|dropped| dropped.starts_with(&restored));
        (!is_reported).then_some(restored)
    }

    fn index_in_file(&self, list: &[Segment], index: usize) -> usize {
        let is_dropped = |index: usize| {
            let is_it =
                |dropped: &[Segment]| dropped.split_last() == Some((&Segment::Index(index), list));
            self.dropped.iter().any(|dropped| is_it(dropped))
        };
        (0..).filter(|&index| !is_dropped(index)).nth(index).unwrap_or(index)
    }
}

/// Reads a `T` from `node`, finding all problems at once.
pub fn read_value<T: DeserializeOwned>(node: &Node) -> Reading<T> {
    let patience = patience(node);
    let (context, faults) = (Context::default(), Vec::new());
    let mut attempt = Attempt { root: node, context, faults, patience };
    let value = attempt.read();
    attempt.conclude(value)
}

/// How many faults are looked for: each costs another reading, so fewer in a huge value.
fn patience(root: &Node) -> usize {
    (REREAD_NODES / places::count(root)).clamp(3, limits::PROBLEMS)
}

/// Nodes that may be read again in search of further faults: about a second's work.
const REREAD_NODES: usize = 20_000_000;

/// Nodes are told apart by their addresses: the tree does not change while it is read.
type Id = usize;

fn id(node: &Node) -> Id {
    std::ptr::from_ref(node) as Id
}

/// What the deserializers of one reading share.
#[derive(Default)]
struct Context {
    hidden: BTreeSet<Id>,
    /// Fields that mappings lack, and that get a stand-in for the time being.
    filled: BTreeMap<Id, Vec<&'static str>>,
    /// Mappings that cannot be read with stand-ins.
    unfillable: BTreeSet<Id>,
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

    fn filled(&self, node: &Node) -> &[&'static str] {
        self.filled.get(&id(node)).map_or(&[], Vec::as_slice)
    }

    fn ignore(&self, node: &Node) {
        self.ignored.borrow_mut().push(id(node));
    }

    fn coerce(&self, node: &Node, coercion: Coercion) {
        self.coerced.borrow_mut().insert(id(node), coercion);
    }
}

/// One value being read, over and over.
struct Attempt<'a> {
    root: &'a Node,
    context: Context,
    faults: Vec<(Id, Fault)>,
    /// Most faults to look for.
    patience: usize,
}

impl Attempt<'_> {
    fn read<T: DeserializeOwned>(&mut self) -> Option<T> {
        loop {
            self.context.begin();
            let goes_on = match T::deserialize(NodeDeserializer::new(self.root, &self.context)) {
                Ok(value) if self.context.filled.is_empty() => return Some(value),
                Ok(_) => self.hide_filled(),
                Err(error) => self.learn_from(error),
            };
            if !goes_on {
                return None;
            }
        }
    }

    /// Records `error` and puts what it came from out of the way; false if nothing is left.
    fn learn_from(&mut self, error: ReadError) -> bool {
        let at = error.at.unwrap_or_else(|| id(self.root));
        match error.fault {
            Fault::RefusedFiller => {
                self.context.filled.remove(&at);
                self.context.unfillable.insert(at);
                self.hide(at)
            }
            Fault::Missing(field) if self.has_hidden_field(at, field) => self.hide(at),
            Fault::Missing(field) if !self.context.unfillable.contains(&at) => {
                self.faults.push((at, error.fault));
                self.context.filled.entry(at).or_default().push(field);
                self.faults.len() < self.patience
            }
            fault => {
                self.faults.push((at, fault));
                self.hide(at)
            }
        }
    }

    /// False if that was the whole value, or if so much is wrong that reading on helps nobody.
    fn hide(&mut self, at: Id) -> bool {
        self.context.filled.remove(&at);
        let is_new = self.context.hidden.insert(at);
        is_new && at != id(self.root) && self.faults.len() < self.patience
    }

    /// Hides what was read with stand-ins only.
    fn hide_filled(&mut self) -> bool {
        let filled = std::mem::take(&mut self.context.filled);
        filled.into_keys().all(|at| self.hide(at))
    }

    /// Whether `field` is missing only because it was faulty and has been hidden.
    fn has_hidden_field(&self, mapping: Id, field: &str) -> bool {
        places::node_of(self.root, mapping)
            .and_then(|node| node.get(field))
            .is_some_and(|value| self.context.is_hidden(value))
    }

    fn conclude<T>(self, value: Option<T>) -> Reading<T> {
        let Self { root, context, faults, .. } = self;
        let coerced = context.coerced.into_inner();
        let ignored = context.ignored.into_inner();
        let wanted = faults.iter().map(|(id, _)| id).chain(coerced.keys());
        let wanted = wanted.chain(&ignored).chain(&context.hidden);
        let places = places::find_all(root, wanted.copied().collect());
        let path = |id: &Id| places.get(id).map(|(path, _)| path.clone());
        let errors = faults.iter().filter_map(|(id, fault)| {
            let (path, node) = places.get(id)?;
            Some(error::explain(root, node, path, fault))
        });
        let warnings = coerced.iter().filter_map(|(id, coercion)| {
            let (path, node) = places.get(id)?;
            Some(warn(node, path, *coercion))
        });
        Reading {
            value,
            problems: errors.chain(warnings).collect(),
            ignored: ignored
                .iter()
                .filter_map(|id| path(id).map(|path| show_path(&path)))
                .collect(),
            dropped: context.hidden.iter().filter_map(path).collect(),
        }
    }
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
