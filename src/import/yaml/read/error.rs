//! What serde complains of, kept as facts and told in the user's words.

use std::fmt;

use serde::de::{Error, Expected, Unexpected};

use super::super::node::Node;
use super::super::path::{Segment, locate, locate_key, show_path};
use super::super::template;
use super::Id;
use crate::scenario::problem::Problem;

/// The first thing that stopped a reading.
#[derive(Debug)]
pub(super) struct ReadError {
    /// The node it came from, as soon as one is known.
    pub(super) at: Option<Id>,
    pub(super) fault: Fault,
}

#[derive(Debug)]
pub(super) enum Fault {
    /// The value must be what the text says: "a duration such as 250ms".
    Expected(String),
    /// The mapping has no such field, and needs it.
    Missing(&'static str),
    /// The key of this value is none of `known`.
    UnknownField { known: &'static [&'static str] },
    /// The text is none of `known`.
    UnknownVariant { known: &'static [&'static str] },
    /// The end of a sentence that a type wrote itself: "must be below the maximum".
    Sentence(String),
    /// A type refused the stand-in for a missing field, which is reported already.
    RefusedFiller,
}

impl ReadError {
    /// The same error, at the node `at` unless a deeper one is known.
    pub(super) fn at(mut self, at: Id) -> Self {
        self.at.get_or_insert(at);
        self
    }

    fn new(fault: Fault) -> Self {
        Self { at: None, fault }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.fault)
    }
}

impl std::error::Error for ReadError {}

impl Error for ReadError {
    fn custom<T: fmt::Display>(sentence: T) -> Self {
        Self::new(Fault::Sentence(sentence.to_string()))
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(Fault::Expected(in_words(&expected.to_string())))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(Fault::Expected(in_words(&expected.to_string())))
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::new(Fault::Expected(in_words(&expected.to_string())))
    }

    fn unknown_variant(_: &str, known: &'static [&'static str]) -> Self {
        Self::new(Fault::UnknownVariant { known })
    }

    fn unknown_field(_: &str, known: &'static [&'static str]) -> Self {
        Self::new(Fault::UnknownField { known })
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(Fault::Missing(field))
    }
}

/// Serde's words for what it expected, in words for people.
fn in_words(expected: &str) -> String {
    match expected {
        "u8" => "a whole number, 0 to 255".to_owned(),
        "u16" => "a whole number, 0 to 65535".to_owned(),
        "u32" => format!("a whole number, 0 to {}", u32::MAX),
        "u64" | "usize" => "a whole number, at least 0".to_owned(),
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a string" | "a borrowed string" => "text".to_owned(),
        "a sequence" => "a list".to_owned(),
        "a map" => "a mapping (`key: value`)".to_owned(),
        _ if expected.starts_with("struct ") => "a mapping (`key: value`)".to_owned(),
        _ if expected.starts_with("enum ") || expected.contains(" variant ") => {
            "a word, or a mapping with one key".to_owned()
        }
        other => other.to_owned(),
    }
}

/// The problem that `fault` is for `node`, which stands at `path` below `root`.
pub(super) fn explain(root: &Node, node: &Node, path: &[Segment], fault: &Fault) -> Problem {
    let shown = show_path(path);
    let problem = match fault {
        Fault::Expected(rule) => Problem::violation(shown, node.shown(), rule),
        Fault::Missing(field) => Problem::statement(join(&shown, field), "is missing"),
        Fault::UnknownField { known } => return explain_key(root, path, known),
        Fault::UnknownVariant { known } => {
            let word = node.text().or_else(|| Some(&node.entries().first()?.key.text));
            one_of(Problem::violation(shown, node.shown(), listed("one of", known)), word, known)
        }
        Fault::Sentence(sentence) => own_sentence(shown, node, sentence),
        Fault::RefusedFiller => Problem::statement(shown, "is incomplete"),
    };
    hint_at_template(problem.at(locate(root, path)), node)
}

fn join(path: &str, field: &str) -> String {
    if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") }
}

fn explain_key(root: &Node, path: &[Segment], known: &[&'static str]) -> Problem {
    let key = match path.last() {
        Some(Segment::Key(key)) => key.as_str(),
        _ => "",
    };
    let problem = Problem::statement(show_path(path), "is not a field that exists here");
    let location = locate_key(root, path).unwrap_or_else(|| root.location());
    let problem = one_of(problem.at(location), Some(key), known);
    match &problem.hint {
        Some(_) => problem,
        None => problem.hint(listed("the fields are", known)),
    }
}

fn own_sentence(path: String, node: &Node, sentence: &str) -> Problem {
    if sentence.starts_with("data did not match any variant") {
        return Problem::violation(path, node.shown(), "in one of the forms that are allowed here");
    }
    if let Some(rest) = sentence.strip_prefix(&node.shown()) {
        return about_the_value(path, node, rest);
    }
    let mut problem = Problem::statement(path, sentence);
    problem.value = Some(node.shown());
    problem
}

/// A sentence with the value as its subject ("`10` is not a duration; write …"), as problem and hint.
fn about_the_value(path: String, node: &Node, predicate: &str) -> Problem {
    let (fact, advice) = match predicate.split_once("; ") {
        Some((fact, advice)) => (fact, Some(advice)),
        None => (predicate, None),
    };
    let problem = Problem::statement(path, format!("is {}, which{fact}", node.shown()));
    match advice {
        Some(advice) => problem.hint(advice),
        None => problem,
    }
}

fn listed(start: &str, words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    format!("{start} {}", words.join(", "))
}

/// The problem with the nearest of `known` as hint, if one is near.
fn one_of(problem: Problem, word: Option<&str>, known: &[&'static str]) -> Problem {
    match word.and_then(|word| nearest(word, known)) {
        Some(near) => problem.hint(format!("did you mean `{near}`?")),
        None => problem,
    }
}

fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let distance = |candidate: &str| {
        strsim::damerau_levenshtein(&word.to_lowercase(), &candidate.to_lowercase())
    };
    let near = known.iter().copied().map(|candidate| (distance(candidate), candidate)).min()?;
    (near.0 <= 1 + word.chars().count() / 4).then_some(near.1)
}

fn hint_at_template(problem: Problem, node: &Node) -> Problem {
    if node.text().is_some_and(template::is_templated) {
        return problem.hint(template::RENDER_HINT);
    }
    problem
}
