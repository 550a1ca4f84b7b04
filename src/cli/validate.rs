//! `meshsim validate`: what is claimed, against what, and how far off we are.

use std::fs;
use std::path::Path;

use super::arguments::{KindArgument, ValidateArguments};
use super::progress::Steps;
use super::terminal::{has_colors, print};
use super::{Failure, Outcome};
use crate::report::terminal::{Style, WIDTH};
use crate::validation::page::{self, markdown, number, percent};
use crate::validation::{Claim, Effort, Kind, Suite, Verdict, suites};

/// Simulates the claims asked for, and tells how they fare.
pub(super) fn validate(arguments: &ValidateArguments) -> Result<Outcome, Failure> {
    let effort = if arguments.quick { Effort::QUICK } else { Effort::FULL };
    let wanted: Vec<Suite> = suites().into_iter().filter(|s| is_wanted(s, arguments)).collect();
    let style = if has_colors() { Style::Colored } else { Style::Plain };
    let progress = Steps::new(wanted.len());
    let mut results: Vec<page::Result> = Vec::new();
    for suite in wanted {
        progress.begin(suite.title);
        let claims = suite.claims(effort)?;
        let is_first = results.last().is_none_or(|(last, _)| last.kind != suite.kind);
        let told = match arguments.json {
            true => String::new(),
            false => table(&suite, &claims, is_first, style),
        };
        progress.end(|| print(&told))?;
        results.push((suite, claims));
    }
    progress.finish();
    let claims: Vec<&Claim> = results.iter().flat_map(|(_, claims)| claims).collect();
    if arguments.json {
        print(&(serde_json::to_string_pretty(&claims)? + "\n"))?;
    } else {
        print(&conclusion(&claims, style))?;
    }
    if let Some(file) = &arguments.markdown {
        write(file, &markdown(&results)?)?;
    }
    let failed = claims.iter().any(|claim| claim.verdict == Verdict::Fail);
    Ok(if failed { Outcome::Failed } else { Outcome::Fine })
}

fn is_wanted(suite: &Suite, arguments: &ValidateArguments) -> bool {
    arguments.kind.is_empty() || arguments.kind.iter().any(|&kind| Kind::from(kind) == suite.kind)
}

impl From<KindArgument> for Kind {
    fn from(kind: KindArgument) -> Self {
        match kind {
            KindArgument::Theory => Self::Theory,
            KindArgument::Envoy => Self::Envoy,
            KindArgument::Seed => Self::Seed,
            KindArgument::Published => Self::Published,
            KindArgument::User => Self::User,
        }
    }
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    fs::write(file, text)
        .map_err(|error| Failure::Sentence(format!("cannot write {}: {error}", file.display())))
}

const REFERENCE: usize = 10;
const OURS: usize = 10;
const HALF_WIDTH: usize = 10;
const ERROR: usize = 10;
const VERDICT: usize = 14;
const CLAIM: usize = WIDTH - REFERENCE - OURS - HALF_WIDTH - ERROR - VERDICT;

/// A suite as lines: every claim with its numbers.
fn table(suite: &Suite, claims: &[Claim], is_first: bool, style: Style) -> String {
    let mut text = String::new();
    if is_first {
        let kind = suite.kind.label().to_uppercase();
        let columns = format!(
            "{kind:<CLAIM$}{:>REFERENCE$}{:>OURS$}{:>HALF_WIDTH$}{:>ERROR$}  verdict",
            "reference", "ours", "±", "error"
        );
        text += &(style.bold(&columns) + "\n");
    }
    text += &format!("{}\n", style.bold(suite.title));
    text.extend(claims.iter().map(|claim| line(claim, style)));
    text + "\n"
}

/// One claim; a text too long for its column gets lines of its own above the numbers.
fn line(claim: &Claim, style: Style) -> String {
    let has_unit = claim.claim.ends_with(&claim.unit);
    let unit = if has_unit { String::new() } else { format!(", {}", claim.unit) };
    let mut lines = wrapped(&(claim.claim.clone() + &unit), CLAIM - 2);
    let last = lines.pop().unwrap_or_default();
    let above: String = lines.iter().map(|line| format!("  {line}\n")).collect();
    let half_width = (claim.ci_high - claim.ci_low) / 2.0;
    let error = claim.relative_error().map_or_else(|| "–".to_owned(), |e| percent(e, "+"));
    let numbers = format!(
        "{:>REFERENCE$}{:>OURS$}{:>HALF_WIDTH$}{error:>ERROR$}",
        number(claim.reference),
        number(claim.ours),
        number(half_width),
    );
    let fitted = if claim.fitted { " fitted" } else { "" };
    let verdict = match claim.verdict {
        Verdict::Pass => style.good("pass"),
        Verdict::Fail => style.bad("fail"),
        Verdict::Shown => "shown".to_owned(),
    };
    let width = CLAIM - 2;
    format!("{above}  {last:<width$}{numbers}  {verdict}{fitted}\n")
}

fn conclusion(claims: &[&Claim], style: Style) -> String {
    let count = |verdict| claims.iter().filter(|claim| claim.verdict == verdict).count();
    let (pass, fail, shown) = (count(Verdict::Pass), count(Verdict::Fail), count(Verdict::Shown));
    let text = format!(
        "{} claims: {pass} pass, {fail} fail, {shown} shown. ± is half the interval (99 % for theory, else 95 %)",
        claims.len()
    );
    let painted = if fail == 0 { style.good(&text) } else { style.bad(&text) };
    painted + "\n"
}

/// Lines of whole words, at most `width` letters each where words allow.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let letters = |text: &str| text.chars().count();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if letters(line) + 1 + letters(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(text: &str, verdict: Verdict) -> Claim {
        Claim {
            claim: text.into(),
            kind: Kind::Seed,
            reference: 2.0,
            ours: 1.9,
            ci_low: 1.85,
            ci_high: 1.95,
            unit: "ms".into(),
            verdict,
            fitted: true,
            source: "a study".into(),
        }
    }

    #[test]
    fn a_claim_is_one_line_of_aligned_numbers() {
        let shown = line(&claim("P50 added", Verdict::Pass), Style::Plain);
        let width = CLAIM - 2;
        let expected = format!(
            "  {:<width$}     2.000     1.900   0.05000    −5.0 %  pass fitted\n",
            "P50 added, ms"
        );
        assert_eq!(shown, expected);
        assert!(shown.trim_end().chars().count() <= WIDTH);
    }

    #[test]
    fn a_long_claim_keeps_its_numbers_in_their_columns() {
        let long =
            "a claim whose words take far more room than the column for the claims has to offer";
        let shown = line(&claim(long, Verdict::Shown), Style::Plain);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH), "{shown}");
        assert!(lines[1].contains("1.900"), "{shown}");
    }
}
