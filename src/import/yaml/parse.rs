//! Text to documents: drives the parser and goes on after what cannot be read.

use std::ops::Range;
use std::sync::Arc;

use granit_parser::{ErrorKind, Options, Parser, ScanError, StrInput};

use super::build::Builder;
use super::limits;
use super::node::Node;
use super::template;
use crate::scenario::problem::{Location, Problem, Severity, SourceFile, Span};

/// The documents of one file, and what is wrong with it.
#[derive(Debug, Default)]
pub struct Parsed {
    /// Documents in order; empty ones are left out.
    pub documents: Vec<Node>,
    /// Syntax errors and warnings, such as duplicate keys; at most one syntax error per document.
    pub problems: Vec<Problem>,
}

/// Reads `file`: YAML with any number of documents, or JSON values one after another.
///
/// A document with a syntax error is left out and reported; those after it are read. Nothing of
/// an unrendered template is read.
pub fn parse(file: &Arc<SourceFile>) -> Parsed {
    let mut parsed = Parsed::default();
    let text = readable_part(file, &mut parsed.problems);
    let mut builder = Builder::new(file);
    match json_values(text) {
        Some(values) => values.into_iter().for_each(|value| read_part(&mut builder, text, value)),
        None => read_part(&mut builder, text, 0..text.len()),
    }
    let (documents, problems) = builder.finish();
    if problems.iter().any(is_error)
        && let Some(action) = template::first_action(text)
    {
        parsed.problems.push(unrendered(file, action));
        return parsed;
    }
    parsed.documents = documents;
    parsed.problems.extend(problems);
    parsed
}

fn is_error(problem: &Problem) -> bool {
    problem.severity == Severity::Error
}

/// The text without Helm's notes.
fn readable_part<'a>(file: &'a Arc<SourceFile>, problems: &mut Vec<Problem>) -> &'a str {
    let text = file.text();
    let Some(notes) = template::notes(text) else { return text };
    let problem = Problem::statement("", "Helm's notes are not YAML; what follows is left out");
    problems.push(problem.warning().at(location(file, notes)));
    &text[..notes]
}

fn unrendered(file: &Arc<SourceFile>, action: usize) -> Problem {
    Problem::statement("", "this is a template that has not been rendered")
        .at(location(file, action))
        .hint(template::RENDER_HINT)
}

fn location(file: &Arc<SourceFile>, offset: usize) -> Location {
    let start = u32::try_from(offset).unwrap_or(u32::MAX);
    Location { file: Arc::clone(file), span: Span { start, end: start } }
}

fn read_part(builder: &mut Builder, text: &str, part: Range<usize>) {
    builder.starts_at(part.start);
    let mut parser = Parser::new_from_str_with_options(&text[part], options());
    loop {
        let fault = match parser.next() {
            None => return,
            Some(Ok((event, span))) => match builder.take(event, span) {
                Ok(()) => continue,
                Err(problem) => *problem,
            },
            Some(Err(error)) => syntax_error(builder, &error),
        };
        builder.abandon_document(fault);
        if builder.is_full() || !next_document(&mut parser) {
            return;
        }
    }
}

fn next_document<'a>(parser: &mut Parser<'a, StrInput<'a>>) -> bool {
    parser.proceed_next_document().unwrap_or(false)
}

fn options() -> Options {
    granit_parser::options! {
        emit_comments: false,
        simple_key_max_lookahead: limits::KEY_CHARACTERS,
        flow_nesting_limit: limits::DEPTH,
        block_nesting_limit: limits::DEPTH,
    }
}

fn syntax_error(builder: &Builder, error: &ScanError) -> Problem {
    let at = builder.location(error.marker().byte_offset());
    match error.kind() {
        ErrorKind::RecursionLimitExceeded => *super::build::too_deep(at),
        ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabNotAllowed
        | ErrorKind::TabAtBlockScalarStart => {
            Problem::statement("", "this line is indented with a tab, which YAML does not allow")
                .at(at)
                .hint("indent with spaces")
        }
        ErrorKind::UnknownAnchor => {
            Problem::statement("", "this alias names no anchor that stands before it").at(at)
        }
        kind => Problem::statement("", format!("this is not YAML: {kind}")).at(at),
    }
}

/// The places of JSON values that stand one after another; nothing if the text is anything else.
fn json_values(text: &str) -> Option<Vec<Range<usize>>> {
    let bytes = text.as_bytes();
    let mut values = Vec::new();
    let mut at = 0;
    loop {
        at += bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if at == bytes.len() {
            break;
        }
        let end = json_value_end(bytes, at)?;
        values.push(at..end);
        at = end;
    }
    (values.len() > 1).then_some(values)
}

/// The end of the JSON object or array that starts at `at`.
fn json_value_end(bytes: &[u8], at: usize) -> Option<usize> {
    if !matches!(bytes[at], b'{' | b'[') {
        return None;
    }
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for (offset, byte) in bytes[at..].iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at + offset + 1);
        }
    }
    None
}
