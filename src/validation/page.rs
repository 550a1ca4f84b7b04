//! The page for sceptics: `docs/validation.md`, made of the claims alone.

use crate::cost::{Figure, ParameterInfo};
use crate::import::calibration::shipped_calibration;
use crate::scenario::problem::Problems;

use super::claim::{Claim, Kind, Verdict};
use super::figures::all_series;
use super::suite::Suite;

/// A suite and what came of it.
pub type Result = (Suite, Vec<Claim>);

/// Predictions whose error is larger than this share of the reference are named as poor.
const POOR: f64 = 0.25;

/// The page about `results`, in their order.
///
/// # Errors
///
/// What is wrong with the calibrations that come with the program: nothing, as tests see to.
pub fn markdown(results: &[Result]) -> std::result::Result<String, Problems> {
    let mut page = INTRODUCTION.to_owned();
    page += &summary(results);
    page += &poor_predictions(results);
    for kind in Kind::ALL {
        let meant: Vec<&Result> = results.iter().filter(|(suite, _)| suite.kind == kind).collect();
        if !meant.is_empty() {
            page += &format!("\n## {}\n\n{}\n", heading(kind), introduction(kind));
            page.extend(meant.into_iter().map(section));
        }
    }
    page += &conditions()?;
    page += &fitted_figures()?;
    Ok(page)
}

const INTRODUCTION: &str = "# Validation

`meshsim validate --markdown` simulates every claim below and writes this page; nothing on it was
typed in by hand but the words. `meshsim validate` prints the same as a table, `--json` for
machines, and fails if a claim that decides does not hold.

- **ours** is a mean over independent replications under a fixed seed, with its confidence
  interval (99 % for theory, 95 % elsewhere). Run again, it gives the same digits.
- **error** is ours less the reference, as a share of the reference.
- **verdict**: `pass` or `fail` where a limit was stated before; `shown` where a measurement stands
  beside a prediction and decides nothing.
- **fitted** says that this figure was used to choose a parameter of the calibration: agreement
  there proves little. All else is predicted.
";

fn heading(kind: Kind) -> &'static str {
    match kind {
        Kind::Theory => "Theory",
        Kind::Envoy => "A real Envoy",
        Kind::Seed => "The EKS study",
        Kind::Published => "Published measurements",
        Kind::User => "Your own measurements",
    }
}

fn introduction(kind: Kind) -> &'static str {
    match kind {
        Kind::Theory => {
            "Scenarios of the mesh's own parts (load generators, connections, pools, workers, \
             cores, Envoys), in which every cost is zero that the textbook does not know. The \
             reference must lie inside the interval, and the interval's half-width must be at \
             most 1 % of the value."
        }
        Kind::Envoy => "The same scenario against an Envoy on loopback.",
        Kind::Seed => "The measurement that started this project.",
        Kind::Published => {
            "What others measured, simulated under the conditions they state. Two runs of the \
             same load in the largest of these data sets differ by 10 to 20 %, so no model can \
             be expected to come closer. One reason is in the model: which connection sits on \
             which worker is drawn once a run. Ours is the mean over such draws."
        }
        Kind::User => {
            "A part of the measurements given to `meshsim calibrate`, held back from fitting."
        }
    }
}

/// How many claims of each kind there are, and how they fare.
fn summary(results: &[Result]) -> String {
    let mut text = String::from(
        "\n## In short\n\n| kind | claims | pass | fail | shown | fitted | median error of the \
         predicted |\n|---|---:|---:|---:|---:|---:|---:|\n",
    );
    for kind in Kind::ALL {
        let claims: Vec<&Claim> = claims_of(results, kind).collect();
        if claims.is_empty() {
            continue;
        }
        let count = |verdict| claims.iter().filter(|claim| claim.verdict == verdict).count();
        let fitted = claims.iter().filter(|claim| claim.fitted).count();
        let (pass, fail, shown) =
            (count(Verdict::Pass), count(Verdict::Fail), count(Verdict::Shown));
        let median = median_error(&claims).map_or_else(|| "–".to_owned(), |m| percent(m, ""));
        let all = claims.len();
        text += &format!("| {kind} | {all} | {pass} | {fail} | {shown} | {fitted} | {median} |\n");
    }
    text
}

fn claims_of(results: &[Result], kind: Kind) -> impl Iterator<Item = &Claim> {
    let meant = results.iter().filter(move |(suite, _)| suite.kind == kind);
    meant.flat_map(|(_, claims)| claims)
}

/// Median size of the errors of claims whose reference was not fitted.
fn median_error(claims: &[&Claim]) -> Option<f64> {
    let predicted = claims.iter().filter(|claim| !claim.fitted);
    let mut errors: Vec<f64> =
        predicted.filter_map(|claim| claim.relative_error()).map(f64::abs).collect();
    errors.sort_by(f64::total_cmp);
    errors.get(errors.len() / 2).copied()
}

/// What is off by more than a quarter, and what the suite says about it.
fn poor_predictions(results: &[Result]) -> String {
    let mut text = format!(
        "\n## Where predictions are poor\n\nPredictions that miss by more than {}.\n\n\
         | what | poor | of | errors | what is missing |\n|---|---:|---:|---|---|\n",
        percent(POOR, "")
    );
    for (suite, claims) in results {
        let predicted = claims.iter().filter(|claim| !claim.fitted);
        let errors: Vec<f64> = predicted.filter_map(Claim::relative_error).collect();
        let poor: Vec<f64> = errors.iter().copied().filter(|error| error.abs() > POOR).collect();
        if poor.is_empty() {
            continue;
        }
        let low = poor.iter().copied().fold(f64::INFINITY, f64::min);
        let high = poor.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        text += &format!(
            "| {} | {} | {} | {} to {} | {} |\n",
            suite.title,
            poor.len(),
            errors.len(),
            percent(low, "+"),
            percent(high, "+"),
            suite.remark
        );
    }
    text
}

/// One suite with its table.
fn section((suite, claims): &Result) -> String {
    let mut text = format!("\n### {}\n\n{}\n", suite.title, suite.method);
    let common = claims.first().map(|claim| &claim.source);
    let common = common.filter(|source| claims.iter().all(|claim| claim.source == **source));
    if let Some(source) = common {
        text += &format!("\nSource: {source}.\n");
    }
    text += "\n| claim | reference | ours | interval | error | verdict |";
    text += if common.is_none() { " source |\n" } else { "\n" };
    text += "|---|---:|---:|---|---:|---|";
    text += if common.is_none() { "---|\n" } else { "\n" };
    for claim in claims {
        text += &row(claim, common.is_none());
    }
    if !suite.remark.is_empty() {
        text += &format!("\n{}\n", suite.remark);
    }
    text
}

fn row(claim: &Claim, with_source: bool) -> String {
    let Claim { reference, ours, ci_low, ci_high, unit, .. } = claim;
    let error = claim.relative_error().map_or_else(|| "–".to_owned(), |e| percent(e, "+"));
    let fitted = if claim.fitted { ", fitted" } else { "" };
    let source = if with_source { format!(" {} |", claim.source) } else { String::new() };
    format!(
        "| {} | {} {unit} | {} | {} to {} | {error} | {}{fitted} |{source}\n",
        claim.claim.replace('|', "\\|"),
        number(*reference),
        number(*ours),
        number(*ci_low),
        number(*ci_high),
        claim.verdict.label(),
    )
}

/// Versions, machines and conditions of the published figures.
fn conditions() -> std::result::Result<String, Problems> {
    let mut text = String::from(
        "\n## Conditions of the measurements\n\n| series | version | hardware | conditions | source |\n\
         |---|---|---|---|---|\n",
    );
    for row in all_series()? {
        text += &format!(
            "| {} | {} | {} | {} | {} |\n",
            row.title, row.version, row.hardware, row.conditions, row.source
        );
    }
    Ok(text)
}

/// The calibrations that claims rest on.
const CALIBRATIONS: [&str; 3] = ["eks-arm64-istio-1.31", "bare-metal-istio-1.24", "gke-istio-1.7"];

fn fitted_figures() -> std::result::Result<String, Problems> {
    let mut text = String::from(
        "\n## What was fitted\n\nFigures that were adjusted until the model met a measurement; all others stand in \
         `models/calibration/` with their sources.\n\n\
         | calibration | figure | value | range | fitted to |\n|---|---|---:|---|---|\n",
    );
    for name in CALIBRATIONS {
        let (spec, _) = shipped_calibration(name)?;
        for (info, figure) in spec.figures() {
            if figure.fitted {
                text += &fitted_row(name, info, figure);
            }
        }
    }
    Ok(text)
}

fn fitted_row(calibration: &str, info: ParameterInfo, figure: &Figure) -> String {
    let Figure { value, unit, range: [low, high], source, .. } = figure;
    format!("| {calibration} | `{}` | {value} {unit} | {low} to {high} | {source} |\n", info.name)
}

/// Four significant digits.
pub(crate) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let magnitude = value.abs().max(1e-9).log10().floor() as i32;
    let places = (3 - magnitude).clamp(0, 5) as usize;
    let text = format!("{value:.places$}");
    let is_zero = text.chars().all(|letter| matches!(letter, '-' | '0' | '.'));
    if is_zero { "0".to_owned() } else { text.replace('-', "−") }
}

/// A share as a percentage, `plus` before what is above zero.
pub(crate) fn percent(share: f64, plus: &str) -> String {
    let text = format!("{:.1}", share.abs() * 100.0);
    match text.as_str() {
        "0.0" => "0.0 %".to_owned(),
        _ if share < 0.0 => format!("−{text} %"),
        _ => format!("{plus}{text} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Interval;
    use crate::validation::claim::Reference;

    fn result(ours: &[f64]) -> Result {
        let suite = Suite {
            kind: Kind::Published,
            title: "A page",
            method: "As it says.",
            remark: "Something is missing.",
            simulate: |_| Ok(Vec::new()),
        };
        let claim = |&ours: &f64| {
            let interval = Interval { estimate: ours, low: ours - 0.01, high: ours + 0.01 };
            Claim::shown(Kind::Published, Reference::new("P50", 2.0, "ms", "a page"), interval)
        };
        (suite, ours.iter().map(claim).collect())
    }

    #[test]
    fn a_section_has_its_method_its_source_once_and_a_row_per_claim() {
        let text = section(&result(&[1.5, 2.0]));
        assert_eq!(
            text,
            "\n### A page\n\nAs it says.\n\nSource: a page.\n\n\
             | claim | reference | ours | interval | error | verdict |\n|---|---:|---:|---|---:|---|\n\
             | P50 | 2.000 ms | 1.500 | 1.490 to 1.510 | −25.0 % | shown |\n\
             | P50 | 2.000 ms | 2.000 | 1.990 to 2.010 | 0.0 % | shown |\n\
             \nSomething is missing.\n"
        );
    }

    #[test]
    fn poor_predictions_are_counted_and_explained_and_fitted_ones_are_not_predictions() {
        let (suite, mut claims) = result(&[1.0, 2.1, 3.0, 9.0]);
        claims[3] = claims[3].clone().fitted();
        let text = poor_predictions(&[(suite, claims)]);
        assert!(
            text.ends_with("| A page | 2 | 3 | −50.0 % to +50.0 % | Something is missing. |\n"),
            "{text}"
        );
    }

    #[test]
    fn the_summary_counts_verdicts_and_gives_the_median_error() {
        let text = summary(&[result(&[2.2, 2.0, 1.0])]);
        assert!(text.ends_with("| published | 3 | 0 | 0 | 3 | 0 | 10.0 % |\n"), "{text}");
    }

    #[test]
    fn the_whole_page_names_conditions_and_fitted_figures() {
        let page = markdown(&[result(&[2.0])]).unwrap();
        for expected in ["## In short", "Graviton", "`sidecarOutboundCpu`", "gke-istio-1.7"] {
            assert!(page.contains(expected), "{expected}");
        }
    }

    #[test]
    fn numbers_have_four_digits_and_a_true_minus() {
        let shown = [0.12345, 12.345, 1234.56, -0.00001, -2.5, f64::NAN].map(number);
        assert_eq!(shown, ["0.1235", "12.35", "1235", "−0.00001", "−2.500", "–"]);
        assert_eq!(percent(-0.034, "+"), "−3.4 %");
    }
}
