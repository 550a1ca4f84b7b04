//! From node identities back to paths, in one walk over the tree.

use std::collections::{BTreeMap, BTreeSet};

use super::super::node::{Node, Value};
use super::super::path::Segment;
use super::{Id, id};

/// Path and node of every id in `wanted` that is in the tree under `root`.
pub(super) fn find_all(root: &Node, wanted: BTreeSet<Id>) -> BTreeMap<Id, (Vec<Segment>, &Node)> {
    let mut search = Search { wanted, path: Vec::new(), found: BTreeMap::new() };
    if !search.wanted.is_empty() {
        search.visit(root);
    }
    search.found
}

/// The node with the identity `wanted`.
pub(super) fn node_of(root: &Node, wanted: Id) -> Option<&Node> {
    find_all(root, BTreeSet::from([wanted])).remove(&wanted).map(|(_, node)| node)
}

/// How many nodes there are, `root` included.
pub(super) fn count(root: &Node) -> usize {
    let entries: usize = root.entries().iter().map(|entry| count(&entry.value)).sum();
    1 + entries + root.items().iter().map(count).sum::<usize>()
}

struct Search<'a> {
    wanted: BTreeSet<Id>,
    path: Vec<Segment>,
    found: BTreeMap<Id, (Vec<Segment>, &'a Node)>,
}

impl<'a> Search<'a> {
    fn visit(&mut self, node: &'a Node) {
        if self.wanted.contains(&id(node)) {
            self.found.insert(id(node), (self.path.clone(), node));
        }
        match node.value() {
            Value::Scalar(_) => {}
            Value::Sequence(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.descend(Segment::Index(index), item);
                }
            }
            Value::Mapping(entries) => {
                for entry in entries {
                    self.descend(Segment::Key(entry.key.text.to_string()), &entry.value);
                }
            }
        }
    }

    fn descend(&mut self, segment: Segment, node: &'a Node) {
        self.path.push(segment);
        self.visit(node);
        self.path.pop();
    }
}
