//! The tree: scalars, sequences and mappings, each with its place.

use std::sync::Arc;

use super::scalar::{Resolved, Scalar};
use crate::scenario::problem::{Location, SourceFile, Span};

/// A value and where it stood.
#[derive(Clone, Debug)]
pub struct Node {
    value: Value,
    span: Span,
    file: Arc<SourceFile>,
}

/// What a [`Node`] holds.
#[derive(Clone, Debug)]
pub enum Value {
    /// Text that may stand for a number, a boolean or null.
    Scalar(Scalar),
    /// A list.
    Sequence(Vec<Node>),
    /// Keys with values, in the order of the file; no key twice.
    Mapping(Vec<Entry>),
}

/// A key with its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: Key,
    /// Its value.
    pub value: Node,
}

/// A key: always text, spelled as in the file.
#[derive(Clone, Debug)]
pub struct Key {
    /// The text: `8080` for a key that YAML takes for a number.
    pub text: Box<str>,
    /// Its place, in the file of the value.
    pub span: Span,
}

impl PartialEq for Value {
    /// Equal in meaning: keys may stand in any order.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Scalar(one), Self::Scalar(other)) => one == other,
            (Self::Sequence(one), Self::Sequence(other)) => one == other,
            (Self::Mapping(one), Self::Mapping(other)) => {
                one.len() == other.len() && by_key(one).eq(by_key(other))
            }
            _ => false,
        }
    }
}

/// Keys and values in the order of the keys.
fn by_key(entries: &[Entry]) -> impl Iterator<Item = (&str, &Node)> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_unstable_by(|one, other| one.key.text.cmp(&other.key.text));
    sorted.into_iter().map(|entry| (&*entry.key.text, &entry.value))
}

impl PartialEq for Node {
    /// Equal in meaning, wherever they stood.
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Node {
    /// The `value` that stood at `span` of `file`.
    pub fn new(value: Value, span: Span, file: Arc<SourceFile>) -> Self {
        Self { value, span, file }
    }

    /// What it holds.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// What it holds, to change it.
    pub fn value_mut(&mut self) -> &mut Value {
        &mut self.value
    }

    /// What it holds, taken out.
    pub fn into_value(self) -> Value {
        self.value
    }

    /// Keys and values of a mapping, taken out; none for anything else.
    pub(super) fn into_entries(self) -> Vec<Entry> {
        match self.value {
            Value::Mapping(entries) => entries,
            _ => Vec::new(),
        }
    }

    pub(super) fn span(&self) -> Span {
        self.span
    }

    /// Where it stood.
    pub fn location(&self) -> Location {
        Location { file: Arc::clone(&self.file), span: self.span }
    }

    /// The file it was read from.
    pub fn file(&self) -> &Arc<SourceFile> {
        &self.file
    }

    /// The value of `key`, if it is a mapping that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The value at the end of a chain of keys.
    pub fn get_in(&self, keys: &[&str]) -> Option<&Self> {
        keys.iter().try_fold(self, |node, key| node.get(key))
    }

    /// Key and value of `key`, if it is a mapping that has it.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries().iter().find(|entry| &*entry.key.text == key)
    }

    /// Keys and values of a mapping; none for anything else.
    pub fn entries(&self) -> &[Entry] {
        match &self.value {
            Value::Mapping(entries) => entries,
            _ => &[],
        }
    }

    /// Elements of a sequence; none for anything else.
    pub fn items(&self) -> &[Self] {
        match &self.value {
            Value::Sequence(items) => items,
            _ => &[],
        }
    }

    /// The scalar, if it is one.
    pub fn scalar(&self) -> Option<&Scalar> {
        match &self.value {
            Value::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    /// The text of a scalar that is not null, spelled as in the file: `1.10` for `1.10`.
    pub fn text(&self) -> Option<&str> {
        self.scalar().filter(|scalar| !scalar.is_null()).map(Scalar::text)
    }

    /// Whether it is a null scalar.
    pub fn is_null(&self) -> bool {
        self.scalar().is_some_and(Scalar::is_null)
    }

    /// Whether it is a mapping.
    pub fn is_mapping(&self) -> bool {
        matches!(self.value, Value::Mapping(_))
    }

    /// Whether it is a sequence.
    pub fn is_sequence(&self) -> bool {
        matches!(self.value, Value::Sequence(_))
    }

    /// The place of `key` in this mapping, to point at it.
    pub fn key_location(&self, key: &str) -> Option<Location> {
        let entry = self.entry(key)?;
        Some(Location { file: Arc::clone(&entry.value.file), span: entry.key.span })
    }

    /// The value in a few words for a message: a scalar as written, else its shape.
    pub fn shown(&self) -> String {
        match &self.value {
            Value::Scalar(scalar) if scalar.is_null() => "empty".to_owned(),
            Value::Scalar(scalar) if scalar.resolved() == Resolved::String => {
                format!("`{}`", scalar.text().trim_end())
            }
            Value::Scalar(scalar) => scalar.text().to_owned(),
            Value::Sequence(items) => format!("a list of {}", items.len()),
            Value::Mapping(entries) if entries.is_empty() => "an empty mapping".to_owned(),
            Value::Mapping(_) => "a mapping".to_owned(),
        }
    }
}
