//! `report.html`: one self-contained page without script, for light and dark screens.

mod tables;

use super::ReportError;
use super::format::escape;
use super::output_folder::replace_file;
use super::plot::{Plot, dark_rules};
use crate::experiment::result::{ExperimentResult, Verdict};
use std::path::Path;

/// Name of the file.
pub const FILE: &str = "report.html";

const STYLE: &str = include_str!("style.css");

/// Writes the page of `result` and its `plots` into `folder`.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write(result: &ExperimentResult, plots: &[Plot], folder: &Path) -> Result<(), ReportError> {
    replace_file(&folder.join(FILE), page(result, plots).as_bytes())
}

/// The whole page.
pub fn page(result: &ExperimentResult, plots: &[Plot]) -> String {
    let sections = [
        section("Expectations", tables::expectations(result)),
        section("Results", tables::results(result)),
        section("Plots", figures(plots)),
        section("What the model takes for granted", assumptions(result)),
        section("How to reproduce", reproduction(result)),
    ];
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{name} – meshsim</title>\n<style>\n{STYLE}\
         @media (prefers-color-scheme: dark) {{\n{dark}}}\n</style>\n</head>\n\
         <body>\n<main>\n{header}{body}{footer}</main>\n</body>\n</html>\n",
        name = escape(&result.name),
        dark = dark_rules(),
        header = header(result),
        body = sections.concat(),
        footer = format_args!("<footer>meshsim {}</footer>\n", env!("CARGO_PKG_VERSION")),
    )
}

/// Nothing if there is nothing to show.
fn section(title: &str, content: String) -> String {
    if content.is_empty() {
        return content;
    }
    format!("<section>\n<h2>{title}</h2>\n{content}</section>\n")
}

fn header(result: &ExperimentResult) -> String {
    format!(
        "<header>\n<h1>{}</h1>\n<p class=\"question\">{}</p>\n<ul class=\"facts\">\n{}</ul>\n</header>\n",
        escape(&result.name),
        escape(&result.question),
        facts(result)
    )
}

fn facts(result: &ExperimentResult) -> String {
    let met = result.checks.iter().filter(|check| check.verdict == Verdict::Met).count();
    let verdict = format!("{met} of {}", result.checks.len());
    let class = if result.passed() { "met" } else { "missed" };
    let expectations = if result.checks.is_empty() {
        String::new()
    } else {
        fact(class, &verdict, "expectations met")
    };
    expectations
        + &fact("", &result.variants().len().to_string(), "variants")
        + &fact("", &result.points().len().to_string(), "sweep points")
        + &fact("", &replications(result), "replications")
        + &fact("", &measured(result), "measured per replication")
        + &fact("", &result.seed.to_string(), "seed")
}

fn fact(class: &str, value: &str, name: &str) -> String {
    format!("<li class=\"{class}\"><b>{value}</b>{name}</li>\n")
}

/// `10`, or `10 to 40` where cells differ.
fn replications(result: &ExperimentResult) -> String {
    let counts = || result.cells.iter().map(|cell| cell.replications.len());
    match (counts().min().unwrap_or(0), counts().max().unwrap_or(0)) {
        (fewest, most) if fewest == most => most.to_string(),
        (fewest, most) => format!("{fewest} to {most}"),
    }
}

fn measured(result: &ExperimentResult) -> String {
    let runs = result.cells.iter().flat_map(|cell| &cell.replications);
    let seconds = runs.map(|run| run.measured_s).fold(0.0, f64::max);
    format!("{} s", super::format::plain(seconds))
}

/// The plots inline; the page's own style has their dark colours.
fn figures(plots: &[Plot]) -> String {
    let figure = |plot: &Plot| format!("<figure>\n{}</figure>\n", without_style(&plot.svg));
    plots.iter().map(figure).collect()
}

fn without_style(svg: &str) -> String {
    match (svg.split_once("<style>"), svg.split_once("</style>\n")) {
        (Some((before, _)), Some((_, after))) => before.to_owned() + after,
        _ => svg.to_owned(),
    }
}

fn assumptions(result: &ExperimentResult) -> String {
    if result.assumptions.is_empty() {
        return String::new();
    }
    let items = result.assumptions.iter().map(|text| format!("<li>{}</li>\n", escape(text)));
    format!("<ul class=\"plain\">\n{}</ul>\n", items.collect::<String>())
}

fn reproduction(result: &ExperimentResult) -> String {
    format!(
        "<pre><code>{}</code></pre>\n\
         <p class=\"note\">The same inputs and seed give the same bytes, on any number of \
         threads. Figures are in <code>summary.csv</code>, digests of all events in \
         <code>run.json</code>.</p>\n{}",
        escape(&result.command),
        tables::inputs(result)
    )
}
