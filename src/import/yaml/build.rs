//! Parser events to trees: anchors, merge keys, duplicate keys, limits.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use granit_parser::{Event, ScalarStyle, Tag};

use super::limits;
use super::node::{Entry, Key, Node, Value};
use super::scalar::{Scalar, Style};
use crate::scenario::problem::{Location, Problem, SourceFile, Span};

/// Keys whose values are dropped as soon as they are read: bookkeeping of the API server and of
/// `kubectl apply` that repeats the object, often longer than the object itself.
const DROPPED_KEYS: [&str; 2] =
    ["managedFields", "kubectl.kubernetes.io/last-applied-configuration"];

/// Takes the events of one file and makes its documents.
pub(super) struct Builder {
    file: Arc<SourceFile>,
    /// Offset of the part being parsed.
    base: usize,
    open: Vec<Collection>,
    anchors: BTreeMap<usize, Anchored>,
    aliased: Size,
    documents: Vec<Node>,
    problems: Vec<Problem>,
}

/// A sequence or mapping of which not all has been seen.
struct Collection {
    anchor: usize,
    span: Span,
    content: Content,
}

enum Content {
    Sequence(Vec<Node>),
    Mapping { entries: Vec<Entry>, merged: Vec<Node>, key: Option<(Key, Style)> },
}

/// What an alias stands for, and what it costs to repeat it.
struct Anchored {
    node: Node,
    size: Size,
}

#[derive(Clone, Copy, Default)]
struct Size {
    nodes: usize,
    bytes: usize,
    depth: usize,
}

impl Size {
    fn of(node: &Node) -> Self {
        let own = node.scalar().map_or(0, |scalar| scalar.text().len());
        let mut size = Self { nodes: 1, bytes: own, depth: 0 };
        let keys = node.entries().iter().map(|entry| entry.key.text.len()).sum::<usize>();
        size.bytes += keys;
        let children = node.entries().iter().map(|entry| &entry.value).chain(node.items());
        for child in children.map(Self::of) {
            size.nodes += child.nodes;
            size.bytes += child.bytes;
            size.depth = size.depth.max(child.depth + 1);
        }
        size
    }
}

pub(super) fn too_deep(at: Location) -> Box<Problem> {
    let rule = format!("this is nested more than {} levels deep", limits::DEPTH);
    Box::new(Problem::statement("", rule).at(at))
}

impl Builder {
    pub(super) fn new(file: &Arc<SourceFile>) -> Self {
        Self {
            file: Arc::clone(file),
            base: 0,
            open: Vec::new(),
            anchors: BTreeMap::new(),
            aliased: Size::default(),
            documents: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Says that the events to come are of the text from `offset` on.
    pub(super) fn starts_at(&mut self, offset: usize) {
        self.base = offset;
    }

    pub(super) fn finish(self) -> (Vec<Node>, Vec<Problem>) {
        (self.documents, self.problems)
    }

    /// Forgets the document that `problem` was found in.
    pub(super) fn abandon_document(&mut self, problem: Problem) {
        self.problems.push(problem);
        self.end_document();
    }

    /// Whether so much is wrong that reading on helps nobody.
    pub(super) fn is_full(&self) -> bool {
        self.problems.len() >= limits::PROBLEMS
    }

    fn end_document(&mut self) {
        self.open.clear();
        self.anchors.clear();
    }

    /// The place `offset` bytes into the part being parsed.
    pub(super) fn location(&self, offset: Option<usize>) -> Location {
        let start = self.offset(offset);
        Location { file: Arc::clone(&self.file), span: Span { start, end: start } }
    }

    fn offset(&self, offset: Option<usize>) -> u32 {
        u32::try_from(self.base + offset.unwrap_or(0)).unwrap_or(u32::MAX)
    }

    fn span(&self, span: granit_parser::Span) -> Span {
        let start = self.offset(span.start.byte_offset());
        Span { start, end: self.offset(span.end.byte_offset()).max(start) }
    }

    /// Takes the next event.
    ///
    /// # Errors
    ///
    /// What is wrong with the document, which cannot be read on.
    pub(super) fn take(
        &mut self,
        event: Event<'_>,
        span: granit_parser::Span,
    ) -> Result<(), Box<Problem>> {
        let span = self.span(span);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.check_length(&text, span)?;
                let style = style_of(style, tag.as_deref());
                let value = Value::Scalar(Scalar::new(text.as_ref(), style));
                self.add(self.node(value, span), anchor)
            }
            Event::SequenceStart(_, anchor, _) => {
                self.begin(anchor, span, Content::Sequence(Vec::new()))
            }
            Event::MappingStart(_, anchor, _) => {
                let content = Content::Mapping { entries: vec![], merged: vec![], key: None };
                self.begin(anchor, span, content)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span),
            Event::Alias(anchor) => self.repeat(anchor, span),
            Event::DocumentEnd => {
                self.end_document();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn node(&self, value: Value, span: Span) -> Node {
        Node::new(value, span, Arc::clone(&self.file))
    }

    fn place(&self, span: Span) -> Location {
        Location { file: Arc::clone(&self.file), span }
    }

    fn check_length(&self, text: &str, span: Span) -> Result<(), Box<Problem>> {
        if text.len() <= limits::SCALAR_BYTES {
            return Ok(());
        }
        let rule = format!("this text is longer than {} MiB", limits::SCALAR_BYTES >> 20);
        let start = Span { start: span.start, end: span.start };
        Err(Box::new(Problem::statement("", rule).at(self.place(start))))
    }

    fn begin(&mut self, anchor: usize, span: Span, content: Content) -> Result<(), Box<Problem>> {
        if self.open.len() >= limits::DEPTH {
            return Err(too_deep(self.place(span)));
        }
        self.open.push(Collection { anchor, span, content });
        Ok(())
    }

    fn end(&mut self, end: Span) -> Result<(), Box<Problem>> {
        let Some(Collection { anchor, span, content }) = self.open.pop() else { return Ok(()) };
        let value = match content {
            Content::Sequence(items) => Value::Sequence(items),
            Content::Mapping { entries, merged, .. } => {
                let mut entries = self.without_duplicates(entries);
                merge(&mut entries, merged);
                Value::Mapping(entries)
            }
        };
        let whole = Span { start: span.start, end: end.end.max(span.start) };
        self.add(self.node(value, whole), anchor)
    }

    /// Puts a complete value where it belongs: as key, as value, as element, as document.
    fn add(&mut self, node: Node, anchor: usize) -> Result<(), Box<Problem>> {
        if anchor != 0 {
            let size = Size::of(&node);
            self.anchors.insert(anchor, Anchored { node: node.clone(), size });
        }
        let not_a_key = || {
            Problem::statement("", "a key must be text, not a list or a mapping")
                .at(node.location())
        };
        match self.open.last_mut().map(|collection| &mut collection.content) {
            None if node.is_null() => {}
            None => self.documents.push(node),
            Some(Content::Sequence(items)) => items.push(node),
            Some(Content::Mapping { entries, merged, key }) => match key.take() {
                None => *key = Some(key_of(&node).ok_or_else(not_a_key)?),
                Some((key, Style::Plain)) if &*key.text == "<<" => merged.push(mergeable(node)?),
                Some((key, _)) if DROPPED_KEYS.contains(&&*key.text) => {}
                Some((key, _)) => entries.push(Entry { key, value: node }),
            },
        }
        Ok(())
    }

    fn repeat(&mut self, anchor: usize, span: Span) -> Result<(), Box<Problem>> {
        let Some(Anchored { node, size }) = self.anchors.get(&anchor) else {
            let rule = "this alias stands inside the value that it repeats";
            return Err(Box::new(Problem::statement("", rule).at(self.place(span))));
        };
        if self.open.len() + size.depth > limits::DEPTH {
            return Err(too_deep(self.place(span)));
        }
        self.aliased.nodes += size.nodes;
        self.aliased.bytes += size.bytes;
        if self.aliased.nodes > limits::ALIASED_NODES || self.aliased.bytes > limits::ALIASED_BYTES
        {
            let rule = "the aliases of this file repeat too much";
            let hint = "write the values out; aliases of aliases grow without bound";
            return Err(Box::new(Problem::statement("", rule).at(self.place(span)).hint(hint)));
        }
        self.add(node.clone(), 0)
    }

    /// Lets the last of equal keys win, and warns.
    fn without_duplicates(&mut self, entries: Vec<Entry>) -> Vec<Entry> {
        let mut last: BTreeMap<&str, usize> = BTreeMap::new();
        let mut is_overwritten = vec![false; entries.len()];
        for (index, entry) in entries.iter().enumerate() {
            if let Some(earlier) = last.insert(&entry.key.text, index) {
                is_overwritten[earlier] = true;
                self.warn_of_duplicate(&entries[earlier].key, &entry.key);
            }
        }
        let kept = entries.into_iter().zip(is_overwritten).filter(|(_, overwritten)| !overwritten);
        kept.map(|(entry, _)| entry).collect()
    }

    fn warn_of_duplicate(&mut self, earlier: &Key, later: &Key) {
        if self.is_full() {
            return;
        }
        let line = self.place(earlier.span).line();
        let rule =
            format!("the key `{}` stands here and on line {line}; the last one counts", later.text);
        self.problems.push(Problem::statement("", rule).warning().at(self.place(later.span)));
    }
}

fn key_of(node: &Node) -> Option<(Key, Style)> {
    let scalar = node.scalar()?;
    Some((Key { text: scalar.text().into(), span: node.span() }, scalar.style()))
}

fn style_of(style: ScalarStyle, tag: Option<&Tag>) -> Style {
    if tag.is_some_and(|tag| tag.is_yaml_core_schema_tag("str")) {
        return Style::Quoted;
    }
    match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => Style::Quoted,
        ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
    }
}

/// A value that `<<` can bring in: a mapping or a list of mappings.
fn mergeable(node: Node) -> Result<Node, Box<Problem>> {
    if node.is_mapping() || !node.items().is_empty() && node.items().iter().all(Node::is_mapping) {
        return Ok(node);
    }
    let rule = "`<<` must be followed by a mapping or a list of mappings";
    Err(Box::new(Problem::statement("", rule).at(node.location())))
}

/// Adds what `<<` brings in: keys that are there win, and of several mappings the first.
fn merge(entries: &mut Vec<Entry>, merged: Vec<Node>) {
    if merged.is_empty() {
        return;
    }
    let mut present: BTreeSet<Box<str>> =
        entries.iter().map(|entry| entry.key.text.clone()).collect();
    let additions = merged.into_iter().flat_map(|node| match node.into_value() {
        Value::Sequence(mappings) => mappings.into_iter().flat_map(Node::into_entries).collect(),
        Value::Mapping(entries) => entries,
        Value::Scalar(_) => Vec::new(),
    });
    for entry in additions {
        if present.insert(entry.key.text.clone()) {
            entries.push(entry);
        }
    }
}
