//! Files as read, and places in them.

use std::fmt;
use std::sync::Arc;

/// A file that was read: its name as the user knows it and its text.
pub struct SourceFile {
    name: String,
    text: String,
}

impl SourceFile {
    /// The file called `name` (a path, or `standard input`) that holds `text`.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { name: name.into(), text: text.into() })
    }

    /// Its name as the user knows it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its text, decoded, with line ends as found.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SourceFile({})", self.name)
    }
}

/// A part of a file's text, in bytes from its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte; never before `start`.
    pub end: u32,
}

/// A place in a file.
#[derive(Clone, Debug)]
pub struct Location {
    /// The file.
    pub file: Arc<SourceFile>,
    /// The part of its text.
    pub span: Span,
}

impl Location {
    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.before().matches('\n').count() + 1
    }

    /// Column in characters, from 1.
    pub fn column(&self) -> usize {
        let before = self.before();
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        before[line_start..].chars().count() + 1
    }

    /// The text before the place; all of it if the span is not within the text.
    fn before(&self) -> &str {
        let text = self.file.text();
        text.get(..self.span.start as usize).unwrap_or(text)
    }
}

impl fmt::Display for Location {
    /// `file:line:column`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file.name(), self.line(), self.column())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        let file = SourceFile::new("a.yaml", "ä: 1\nöö: 2\n");
        let start = file.text().find('2').unwrap() as u32;
        let location = Location { file, span: Span { start, end: start + 1 } };

        assert_eq!(location.to_string(), "a.yaml:2:5");
    }
}
