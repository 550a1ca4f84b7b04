//! The few words that all checks are written in.

use std::collections::BTreeSet;
use std::fmt;

use super::super::problem::{Problem, Problems};

/// Checks of one mapping, which stands at `path`.
pub(super) struct Check<'p> {
    path: String,
    problems: &'p mut Problems,
}

impl<'p> Check<'p> {
    pub(super) fn new(path: impl Into<String>, problems: &'p mut Problems) -> Self {
        Self { path: path.into(), problems }
    }

    /// The path of `field`; the mapping itself for an empty one.
    pub(super) fn path_of(&self, field: &str) -> String {
        match field {
            "" => self.path.clone(),
            field if field.starts_with('[') => format!("{}{field}", self.path),
            field => format!("{}.{field}", self.path),
        }
    }

    /// The checks of the part called `field`: `name`, `name[2]`.
    pub(super) fn part(&mut self, field: &str) -> Check<'_> {
        Check { path: self.path_of(field), problems: self.problems }
    }

    /// Says that the value of `field` must be what `rule` says, unless it `holds`.
    pub(super) fn require(
        &mut self,
        holds: bool,
        field: &str,
        value: impl fmt::Display,
        rule: impl fmt::Display,
    ) {
        if !holds {
            self.problems.add(self.path_of(field), value, rule);
        }
    }

    /// Says a whole sentence about `field`, unless it `holds`.
    pub(super) fn require_that(&mut self, holds: bool, field: &str, sentence: impl Into<String>) {
        if !holds {
            self.problems.push(Problem::statement(self.path_of(field), sentence));
        }
    }

    /// Adds a problem about `field`.
    pub(super) fn push(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// Requires `value` to lie between `low` and `high`, both included.
    pub(super) fn require_between<T: PartialOrd + fmt::Display>(
        &mut self,
        value: T,
        field: &str,
        low: T,
        high: T,
    ) {
        let holds = low <= value && value <= high;
        self.require(holds, field, &value, format_args!("between {low} and {high}"));
    }

    /// Requires a share: 0 to 1.
    pub(super) fn require_share(&mut self, value: f64, field: &str) {
        let holds = (0.0..=1.0).contains(&value);
        self.require(holds, field, value, "a probability, 0 to 1");
    }

    /// Requires names that differ; `names` stand at `list[i].name`.
    pub(super) fn require_unique<'a>(
        &mut self,
        list: &str,
        names: impl IntoIterator<Item = &'a str>,
    ) {
        let mut seen = BTreeSet::new();
        for (index, name) in names.into_iter().enumerate() {
            let field = format!("{list}[{index}].name");
            self.require(seen.insert(name), &field, quoted(name), "unlike the names before it");
        }
    }

    /// Requires a name as Kubernetes wants it: RFC 1123 label.
    pub(super) fn require_name(&mut self, name: &str, field: &str) {
        let letters =
            name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        let ends = !name.starts_with('-') && !name.ends_with('-');
        let holds = !name.is_empty() && name.len() <= 63 && letters && ends;
        let rule = "a name of lower-case letters, digits and dashes, at most 63";
        self.require(holds, field, quoted(name), rule);
    }
}

/// A value as messages show text.
pub(super) fn quoted(text: &str) -> String {
    if text.is_empty() { "empty".to_owned() } else { format!("`{text}`") }
}
