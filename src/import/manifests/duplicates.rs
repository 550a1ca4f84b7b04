//! One object per group, kind, namespace and name.

use std::collections::BTreeMap;

use super::object::Object;
use crate::scenario::problem::{Problem, Problems};

/// More conflicts than this are counted, not shown.
const SHOWN_CONFLICTS: usize = 50;

type Identity = (String, String, String, String);

fn identity(object: &Object) -> Option<Identity> {
    let namespace = object.namespace.as_deref().unwrap_or("default");
    let named = !object.name.is_empty();
    named.then(|| {
        (object.group.clone(), object.kind.clone(), namespace.to_owned(), object.name.clone())
    })
}

/// The objects without repetitions. Of two that differ the last counts, in the place of the
/// first and with a warning that names both places; as if the files were applied in order.
pub(super) fn unique(objects: Vec<Object>, problems: &mut Problems) -> Vec<Object> {
    let mut kept: Vec<Object> = Vec::with_capacity(objects.len());
    let mut places: BTreeMap<Identity, usize> = BTreeMap::new();
    let mut conflicts = 0;
    for object in objects {
        let Some(identity) = identity(&object) else {
            kept.push(object);
            continue;
        };
        match places.get(&identity) {
            None => {
                places.insert(identity, kept.len());
                kept.push(object);
            }
            Some(&index) if kept[index].node == object.node => {}
            Some(&index) => {
                conflicts += 1;
                if conflicts <= SHOWN_CONFLICTS {
                    problems.push(conflict(&kept[index], &object));
                }
                kept[index] = object;
            }
        }
    }
    if conflicts > SHOWN_CONFLICTS {
        let sentence = format!("{conflicts} objects stand more than once with different content");
        problems.push(Problem::statement("", sentence).warning());
    }
    kept
}

fn conflict(earlier: &Object, later: &Object) -> Problem {
    let rule = format!("stands here and, with other content, at {}", earlier.origin());
    Problem::statement(later.label(), rule)
        .warning()
        .at(later.origin())
        .hint("the last one counts, as when both are applied in this order")
}
