//! The tables of the page.

use crate::experiment::result::estimate::Estimates;
use crate::experiment::result::{
    Estimate, ExpectationOutcome, ExperimentResult, MeasureId, Metric, Statistic,
};
use crate::report::format::{error, escape, half_width, ours, point_label, value, wanted};

/// Heading, unit and what stands in a column.
const COLUMNS: [(&str, &str, Metric, Statistic); 9] = [
    ("P50", "ms", Metric::ResponseTime, Statistic::P50),
    ("P90", "ms", Metric::ResponseTime, Statistic::P90),
    ("P99", "ms", Metric::ResponseTime, Statistic::P99),
    ("P99.9", "ms", Metric::ResponseTime, Statistic::P999),
    ("Added P50", "ms", Metric::ResponseTimeAdded, Statistic::P50),
    ("Goodput", "req/s", Metric::Goodput, Statistic::Mean),
    ("Failed", "requests", Metric::FailedRequests, Statistic::Mean),
    ("Proxy CPU", "cores", Metric::ProxyCpu, Statistic::Mean),
    ("Proxy memory", "MiB", Metric::ProxyMemory, Statistic::Mean),
];

/// One table per sweep point, one row per variant.
pub(super) fn results(result: &ExperimentResult) -> String {
    let estimates = result.estimates();
    let mut text = String::new();
    for point in result.points() {
        if !point.is_empty() {
            text += &format!("<h3>{}</h3>\n", escape(&point_label(point)));
        }
        let cells = estimates.iter().filter(|(cell, _)| cell.point == point);
        text += &table(
            &headings(),
            &cells.map(|(cell, estimates)| row(&cell.variant, estimates)).collect::<String>(),
        );
    }
    if text.is_empty() { text } else { text + NOTE }
}

const NOTE: &str = "<p class=\"note\">Means over the replications, ± half the width of the 95 % \
    confidence interval. Added response times are differences to the first variant, taken \
    replication by replication; failed requests are those of one replication.</p>\n";

fn table(head: &str, rows: &str) -> String {
    format!(
        "<div class=\"scroll\"><table>\n<thead><tr>{head}</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

fn headings() -> String {
    let heading =
        |(name, unit, ..): &(&str, &str, _, _)| format!("<th>{name}<small>{unit}</small></th>");
    "<th class=\"text\">Variant</th>".to_owned() + &COLUMNS.iter().map(heading).collect::<String>()
}

fn row(variant: &str, estimates: &Estimates) -> String {
    let cell = |(_, _, metric, statistic): &(&str, &str, Metric, Statistic)| {
        number(estimates.get(&MeasureId::whole(*metric, *statistic)))
    };
    let cells: String = COLUMNS.iter().map(cell).collect();
    format!("<tr><td class=\"name\">{}</td>{cells}</tr>\n", escape(variant))
}

fn number(estimate: Option<&Estimate>) -> String {
    let shown = estimate.map_or_else(|| "–".to_owned(), value);
    let half = estimate.and_then(half_width);
    let half = half.map(|half| format!(" <small>±&nbsp;{half}</small>")).unwrap_or_default();
    format!("<td class=\"number\">{shown}{half}</td>")
}

/// Every expectation with its verdict; nothing if there are none.
pub(super) fn expectations(result: &ExperimentResult) -> String {
    if result.checks.is_empty() {
        return String::new();
    }
    let head = "<th class=\"text\">Verdict</th><th class=\"text\">Expectation</th>\
                <th>Ours</th><th>Error</th><th>Wanted</th>";
    table(head, &result.checks.iter().map(expectation).collect::<String>())
}

fn expectation(check: &ExpectationOutcome) -> String {
    let source = if check.source.is_empty() {
        String::new()
    } else {
        format!("<br><span class=\"source\">{}</span>", escape(&check.source))
    };
    format!(
        "<tr class=\"{verdict}\"><td class=\"verdict\">{mark} {verdict}</td>\
         <td class=\"text\">{text}{source}</td><td class=\"number\">{ours}</td>\
         <td class=\"number\">{error}</td><td class=\"number\">{wanted}</td></tr>\n",
        mark = check.verdict.mark(),
        verdict = check.verdict.label(),
        text = escape(&check.text),
        ours = ours(check),
        error = error(check),
        wanted = wanted(&check.wanted),
    )
}

/// The files that were read; nothing if none are known.
pub(super) fn inputs(result: &ExperimentResult) -> String {
    if result.inputs.is_empty() {
        return String::new();
    }
    let rows = result.inputs.iter().map(|input| {
        format!(
            "<tr><td class=\"text\">{}</td><td class=\"text\"><code>{}</code></td></tr>\n",
            escape(&input.path),
            escape(&input.digest)
        )
    });
    let head = "<th class=\"text\">Input</th><th class=\"text\">Digest</th>";
    table(head, &rows.collect::<String>())
}
