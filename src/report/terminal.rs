//! Results and verdicts as a table for the terminal, at most [`WIDTH`] columns wide.

use super::format::{error, half_width, ours, point_label, value, wanted};
use crate::experiment::result::estimate::Estimates;
use crate::experiment::result::{
    Estimate, ExpectationOutcome, ExperimentResult, MeasureId, Metric, Statistic, Verdict,
};

/// Most columns of a line.
pub const WIDTH: usize = 110;

/// Whether the text may hold colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Letters only: for pipes and files.
    Plain,
    /// ANSI escape sequences: for terminals.
    Colored,
}

const BOLD: &str = "1";
const GREEN: &str = "32";
const RED: &str = "31";

impl Style {
    /// `text` as a heading.
    pub fn bold(self, text: &str) -> String {
        self.paint(text, BOLD)
    }

    /// `text` about something that holds.
    pub fn good(self, text: &str) -> String {
        self.paint(text, GREEN)
    }

    /// `text` about something that does not hold.
    pub fn bad(self, text: &str) -> String {
        self.paint(text, RED)
    }

    fn paint(self, text: &str, code: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Colored => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}

/// The columns after the variant's name.
const COLUMNS: [(&str, Metric, Statistic); 7] = [
    ("P50 ms", Metric::ResponseTime, Statistic::P50),
    ("P90 ms", Metric::ResponseTime, Statistic::P90),
    ("P99 ms", Metric::ResponseTime, Statistic::P99),
    ("P99.9 ms", Metric::ResponseTime, Statistic::P999),
    ("added P50", Metric::ResponseTimeAdded, Statistic::P50),
    ("failed", Metric::FailedRequests, Statistic::Mean),
    ("proxy CPU", Metric::ProxyCpu, Statistic::Mean),
];

/// Response times, failures and proxy CPU of every variant at every sweep point, then every
/// expectation with its verdict.
///
/// Half widths are of 95 % confidence intervals; `failed` counts requests of one replication;
/// CPU is in cores.
pub fn table(result: &ExperimentResult, style: Style) -> String {
    let mut text = String::new();
    for paragraph in [results(result, style), expectations(result, style)] {
        if !paragraph.is_empty() {
            text += &paragraph;
            text.push('\n');
        }
    }
    text
}

fn results(result: &ExperimentResult, style: Style) -> String {
    let estimates = result.estimates();
    let cells: Vec<&Estimates> = estimates.iter().map(|(_, estimates)| estimates).collect();
    let columns = Columns::fitting(&cells);
    let names = columns.room_for_names();
    let mut text = String::new();
    for point in result.points() {
        for line in point_heading(&point_label(point), names, &columns.heading()) {
            text += &(style.paint(line.trim_end(), BOLD) + "\n");
        }
        for (cell, estimates) in estimates.iter().filter(|(cell, _)| cell.point == point) {
            let line =
                format!("{:<names$}{}", fitted(&cell.variant, names), columns.row(estimates));
            text += &(line.trim_end().to_owned() + "\n");
        }
        text.push('\n');
    }
    if text.is_empty() { text } else { text + NOTE + "\n" }
}

/// The name of a point before the columns' names, or on lines of its own above them if it is long:
/// cut short, two points might look alike.
fn point_heading(label: &str, names: usize, columns: &str) -> Vec<String> {
    if letters(label) <= names {
        return vec![format!("{label:<names$}{columns}")];
    }
    let mut lines = wrapped(label, WIDTH);
    lines.push(format!("{:<names$}{columns}", ""));
    lines
}

const NOTE: &str =
    "± half width of the 95 % confidence interval; failed: requests per replication; CPU in cores";

/// How wide values and half widths are in each column.
struct Columns {
    widths: Vec<(usize, usize)>,
}

const GAP: usize = 2;
const FEWEST_NAME_LETTERS: usize = 12;

impl Columns {
    /// Wide enough for all `cells`; without half widths if those do not fit into [`WIDTH`].
    fn fitting(cells: &[&Estimates]) -> Self {
        let measured = COLUMNS.iter().map(|column| {
            let shown = cells.iter().filter_map(|cell| find(cell, column));
            let widths = shown.map(|estimate| {
                let half_width = half_width_of(column, &estimate);
                (letters(&value(&estimate)), half_width.map_or(0, |text| letters(&text) + 2))
            });
            let (value, half_width) = widths
                .fold((1, 0), |(value, half), (v, h): (usize, usize)| (value.max(v), half.max(h)));
            (value.max(letters(column.0).saturating_sub(half_width)), half_width)
        });
        let columns = Self { widths: measured.collect() };
        if columns.width() + FEWEST_NAME_LETTERS <= WIDTH { columns } else { columns.narrowed() }
    }

    fn narrowed(self) -> Self {
        let narrow =
            |((value, half_width), column): ((usize, usize), &(&str, Metric, Statistic))| {
                (value.max(letters(column.0)).min(value + half_width), 0)
            };
        Self { widths: self.widths.into_iter().zip(&COLUMNS).map(narrow).collect() }
    }

    fn width(&self) -> usize {
        self.widths.iter().map(|(value, half_width)| GAP + value + half_width).sum()
    }

    fn room_for_names(&self) -> usize {
        WIDTH.saturating_sub(self.width()).min(28)
    }

    fn heading(&self) -> String {
        let columns = COLUMNS.iter().zip(&self.widths);
        columns
            .map(|((name, ..), (value, half))| {
                format!("{:GAP$}{name:>width$}", "", width = value + half)
            })
            .collect()
    }

    fn row(&self, cell: &Estimates) -> String {
        let columns = COLUMNS.iter().zip(&self.widths);
        columns
            .map(|(column, &(value_width, half_width))| {
                let estimate = find(cell, column);
                let value = estimate.as_ref().map_or_else(|| "–".to_owned(), value);
                let half = estimate.and_then(|estimate| half_width_of(column, &estimate));
                let half = half.filter(|_| half_width > 0).map(|half| format!(" ±{half}"));
                let half = half.unwrap_or_default();
                format!("{:GAP$}{value:>value_width$}{half:<half_width$}", "")
            })
            .collect()
    }
}

/// Counts are shown without theirs.
fn half_width_of(column: &(&str, Metric, Statistic), estimate: &Estimate) -> Option<String> {
    half_width(estimate).filter(|_| column.1 != Metric::FailedRequests)
}

fn find(cell: &Estimates, column: &(&str, Metric, Statistic)) -> Option<Estimate> {
    cell.get(&MeasureId::whole(column.1, column.2)).copied()
}

fn letters(text: &str) -> usize {
    text.chars().count()
}

/// `text`, its middle replaced by an ellipsis if it is longer than `most` letters.
fn fitted(text: &str, most: usize) -> String {
    let count = letters(text);
    if count <= most {
        return text.to_owned();
    }
    let kept = most.saturating_sub(1);
    let (head, tail) = (kept.div_ceil(2), kept / 2);
    text.chars().take(head).chain(['…']).chain(text.chars().skip(count - tail)).collect()
}

const OURS: usize = 20;
const ERROR: usize = 9;
const WANTED: usize = 20;

fn expectations(result: &ExperimentResult, style: Style) -> String {
    if result.checks.is_empty() {
        return String::new();
    }
    let text_width = WIDTH - 2 - OURS - ERROR - WANTED;
    let heading =
        format!("  {:<text_width$}{:<OURS$}{:<ERROR$}{}", "expectation", "ours", "error", "wanted");
    let lines = result.checks.iter().map(|check| expectation(check, text_width, style));
    let met = result.checks.iter().filter(|check| check.verdict == Verdict::Met).count();
    let verdict = format!("{met} of {} expectations met", result.checks.len());
    let color = if result.passed() { GREEN } else { RED };
    format!(
        "{}\n{}{}\n",
        style.paint(&heading, BOLD),
        lines.collect::<String>(),
        style.paint(&verdict, color)
    )
}

/// One line; a text too long for its column gets lines of its own above the numbers.
fn expectation(check: &ExpectationOutcome, text_width: usize, style: Style) -> String {
    let color = if check.verdict == Verdict::Met { GREEN } else { RED };
    let mut text = wrapped(&check.text, WIDTH - 2);
    let mut last = text.pop().unwrap_or_default();
    if letters(&last) >= text_width {
        text.push(std::mem::take(&mut last));
    }
    let numbers = format!(
        "{last:<text_width$}{:<OURS$}{:<ERROR$}{}",
        ours(check),
        error(check),
        wanted(&check.wanted)
    );
    text.push(fitted(numbers.trim_end(), WIDTH - 2));
    format!("{} {}\n", style.paint(check.verdict.mark(), color), text.join("\n  "))
}

/// Lines of whole words, at most `width` letters each; longer words are cut.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let word = fitted(word, width);
        match lines.last_mut() {
            Some(line) if letters(line) + 1 + letters(&word) <= width => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}
