//! What is wrong with what a user wrote: every problem at once, each with path, value and rule.
//!
//! A check names the field by its path (`spec.load[0].rate`) and knows no files. Whoever read
//! the file adds the [`Location`], so the same check serves files, overrides and tests.

mod render;
mod source;

use std::fmt;

pub use source::{Location, SourceFile, Span};

/// How much a [`Problem`] matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing can be run before it is mended.
    Error,
    /// Understood, but probably not what the user means, or not what the API server takes.
    Warning,
}

/// One thing that is wrong: where, what was found, what must hold, how to mend it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Whether it stops the run.
    pub severity: Severity,
    /// Place in a file; absent as long as only the path is known.
    pub location: Option<Location>,
    /// The object it is in, such as `Deployment/reviews-v1`.
    pub object: Option<String>,
    /// Path of the field inside the object, such as `spec.load[0].rate`; empty for a whole file.
    pub path: String,
    /// What was found, as written.
    pub value: Option<String>,
    /// The end of the sentence: after a value `must be at least 1`, alone `is missing`.
    pub rule: String,
    /// What to write or run instead.
    pub hint: Option<String>,
}

/// Values longer than this are cut in messages, in characters.
const SHOWN_VALUE: usize = 60;

impl Problem {
    /// The `value` at `path`, of which `rule` must hold: "is 0, but must be {rule}".
    pub fn violation(
        path: impl Into<String>,
        value: impl fmt::Display,
        rule: impl fmt::Display,
    ) -> Self {
        let mut problem = Self::statement(path, format!("must be {rule}"));
        problem.value = Some(shortened(&value.to_string()));
        problem
    }

    /// A sentence about `path`: "{path} {sentence}", or the sentence alone for an empty path.
    pub fn statement(path: impl Into<String>, sentence: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            location: None,
            object: None,
            path: path.into(),
            value: None,
            rule: sentence.into(),
            hint: None,
        }
    }

    /// The same, with what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same, as a warning.
    #[must_use]
    pub fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }

    /// The same, in a place of a file.
    #[must_use]
    pub fn at(mut self, location: Location) -> Self {
        self.location = Some(location);
        self
    }

    /// The same, inside the object named `object`, such as `Deployment/reviews-v1`.
    #[must_use]
    pub fn within(mut self, object: impl Into<String>) -> Self {
        self.object = Some(object.into());
        self
    }

    /// Value and rule as the end of a sentence: `is 10s, but must be at least 30s`.
    fn predicate(&self) -> String {
        match &self.value {
            Some(value) => format!("is {value}, but {}", self.rule),
            None => self.rule.clone(),
        }
    }

    /// The whole sentence, on one line.
    pub fn sentence(&self) -> String {
        let predicate = self.predicate();
        if self.path.is_empty() { predicate } else { format!("{} {predicate}", self.path) }
    }
}

fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    if line.len() == text.len() && line.chars().count() <= SHOWN_VALUE {
        return line.to_owned();
    }
    let start: String = line.chars().take(SHOWN_VALUE).collect();
    format!("{start}…")
}

/// All that was found, errors and warnings.
#[derive(Clone, Debug, Default)]
pub struct Problems {
    found: Vec<Problem>,
}

impl Problems {
    /// Adds that `value` at `path` must be what `rule` says; the result takes a hint.
    pub fn add(
        &mut self,
        path: impl Into<String>,
        value: impl fmt::Display,
        rule: impl fmt::Display,
    ) -> &mut Problem {
        self.push(Problem::violation(path, value, rule))
    }

    /// Adds `problem`.
    pub fn push(&mut self, problem: Problem) -> &mut Problem {
        let index = self.found.len();
        self.found.push(problem);
        &mut self.found[index]
    }

    /// Adds all of `problems`.
    pub fn extend(&mut self, problems: impl IntoIterator<Item = Problem>) {
        self.found.extend(problems);
    }

    /// All problems, in the order in which they were found, or by place after [`Problems::sort`].
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.found.iter()
    }

    /// All problems, to add places or object names to.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Problem> {
        self.found.iter_mut()
    }

    /// Problems that stop the run.
    pub fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.iter().filter(|problem| problem.severity == Severity::Error)
    }

    /// Problems that do not stop the run.
    pub fn warnings(&self) -> impl Iterator<Item = &Problem> {
        self.iter().filter(|problem| problem.severity == Severity::Warning)
    }

    /// Whether nothing at all was found.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Whether any problem stops the run.
    pub fn has_errors(&self) -> bool {
        self.errors().next().is_some()
    }

    /// Sorts by file name, then by place; what has no place comes last, in the order found.
    pub fn sort(&mut self) {
        self.found.sort_by_cached_key(|problem| match &problem.location {
            Some(location) => (0, location.file.name().to_owned(), location.span.start),
            None => (1, String::new(), 0),
        });
    }

    /// `value`, unless an error was found.
    ///
    /// # Errors
    ///
    /// All problems, sorted, if any of them is an error.
    pub fn or_ok<T>(mut self, value: T) -> Result<T, Self> {
        if self.has_errors() {
            self.sort();
            Err(self)
        } else {
            Ok(value)
        }
    }

    /// The problems as labelled snippets of their files, as compilers show them, with the closing
    /// line that says what became of the run. `color` is for terminals.
    pub fn render(&self, color: bool) -> String {
        render::render(self, color)
    }

    /// `2 problems; nothing was run.`, or how many warnings there are.
    fn summary(&self) -> String {
        match (self.errors().count(), self.warnings().count()) {
            (0, 1) => "1 warning.".to_owned(),
            (0, warnings) => format!("{warnings} warnings."),
            (1, _) => "1 problem; nothing was run.".to_owned(),
            (errors, _) => format!("{errors} problems; nothing was run."),
        }
    }
}

impl IntoIterator for Problems {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.found.into_iter()
    }
}

impl fmt::Display for Problems {
    /// Path, value and rule of each, without the text of the files.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for problem in self.iter() {
            if let Some(location) = &problem.location {
                write!(f, "  {location}:")?;
            }
            if let Some(object) = &problem.object {
                write!(f, "  {object}")?;
            }
            if !problem.path.is_empty() {
                write!(f, "  {}", problem.path)?;
            }
            writeln!(f, "\n      {}", problem.predicate())?;
            if let Some(hint) = &problem.hint {
                writeln!(f, "      {hint}")?;
            }
        }
        write!(f, "\n{}", self.summary())
    }
}

impl std::error::Error for Problems {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_problems_are_shown_at_once_with_path_value_and_rule() {
        let mut problems = Problems::default();
        problems.add(
            "services.payment.outlier_detection.max_ejection_time",
            "10s",
            "at least base_ejection_time (30s)",
        );
        problems.add(
            "services.payment.outlier_detection.max_ejection_percent",
            140,
            "a percentage, 0 to 100",
        );

        let shown = problems.or_ok(()).unwrap_err().to_string();

        assert_eq!(
            shown,
            "  services.payment.outlier_detection.max_ejection_time\n\
             \x20     is 10s, but must be at least base_ejection_time (30s)\n\
             \x20 services.payment.outlier_detection.max_ejection_percent\n\
             \x20     is 140, but must be a percentage, 0 to 100\n\n\
             2 problems; nothing was run."
        );
    }

    #[test]
    fn warnings_stop_nothing() {
        let mut problems = Problems::default();
        problems.push(Problem::statement("spec", "is odd").warning());

        assert!(problems.or_ok(()).is_ok());
    }

    #[test]
    fn long_values_are_cut() {
        let problem = Problem::violation("data", "x".repeat(1000), "short");
        assert_eq!(problem.value.unwrap().chars().count(), SHOWN_VALUE + 1);
    }
}
