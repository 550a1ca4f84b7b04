//! Problems as labelled snippets, in the manner of compilers.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::{Location, Problem, Problems, Severity};

/// More problems than this are counted, not shown: nobody reads them, and each costs a scan of its file.
const SHOWN_PROBLEMS: usize = 100;

/// Lines longer than this are not quoted, in bytes: minified JSON is one line of many megabytes.
const QUOTED_LINE: usize = 400;

pub(super) fn render(problems: &Problems, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.decor_style(DecorStyle::Ascii).term_width(100);
    let mut shown = String::new();
    for problem in problems.iter().take(SHOWN_PROBLEMS) {
        shown.push_str(&renderer.render(&[group(problem)]));
        shown.push_str("\n\n");
    }
    let rest = problems.iter().count().saturating_sub(SHOWN_PROBLEMS);
    if rest > 0 {
        shown.push_str(&format!("… and {rest} more\n\n"));
    }
    shown.push_str(&problems.summary());
    shown
}

fn group(problem: &Problem) -> Group<'_> {
    let level = match problem.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(problem.sentence()));
    if let Some(location) = &problem.location {
        group = group.element(place(location));
    }
    if let Some(object) = &problem.object {
        group = group.element(Level::NOTE.message(format!("in {object}")));
    }
    if let Some(hint) = &problem.hint {
        group = group.element(Level::HELP.message(hint.as_str()));
    }
    group
}

/// The line of `location`, underlined, or only its name and number if it is too long to quote.
fn place(location: &Location) -> Element<'_> {
    let text = location.file.text();
    let at = (location.span.start as usize).min(text.len());
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[at..].find(['\n', '\r']).map_or(text.len(), |length| at + length);
    if end - start > QUOTED_LINE {
        return Origin::path(location.file.name())
            .line(location.line())
            .char_column(location.column())
            .into();
    }
    let until = (location.span.end as usize).clamp(at, end);
    Snippet::source(&text[start..end])
        .line_start(location.line())
        .path(location.file.name())
        .annotation(AnnotationKind::Primary.span(at - start..until - start))
        .into()
}

#[cfg(test)]
mod tests {
    use super::super::{SourceFile, Span};
    use super::*;

    #[test]
    fn a_problem_points_at_its_line_and_ends_with_what_became_of_the_run() {
        let file = SourceFile::new("echo.yaml", "spec:\n  duration: 10\n");
        let start = file.text().find("10").unwrap() as u32;
        let location = Location { file, span: Span { start, end: start + 2 } };
        let mut problems = Problems::default();
        problems.push(
            Problem::violation("spec.duration", "10", "a duration such as 250ms")
                .at(location)
                .within("Experiment/echo")
                .hint("write `10s`"),
        );

        assert_eq!(
            problems.render(false),
            "error: spec.duration is 10, but must be a duration such as 250ms\n \
             --> echo.yaml:2:13\n  \
             |\n2 |   duration: 10\n  \
             |             ^^\n  \
             |\n  \
             = note: in Experiment/echo\n  \
             = help: write `10s`\n\n\
             1 problem; nothing was run."
        );
    }

    #[test]
    fn a_line_of_megabytes_is_not_quoted() {
        let file = SourceFile::new("dump.json", format!("[{}]", "1,".repeat(1_000_000)));
        let location = Location { file, span: Span { start: 1_000_000, end: 1_000_001 } };
        let mut problems = Problems::default();
        problems.push(Problem::statement("items", "is odd").at(location));

        let shown = problems.render(false);

        assert!(shown.contains("dump.json:1:1000001"), "{shown}");
        assert!(shown.len() < 300);
    }
}
