//! Measurements of others, as the program carries them: `models/published`.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::scenario::problem::{Problem, Problems};
use crate::workload::Arrivals;

const SERIES: (&str, &str) =
    ("models/published/series.csv", include_str!("../../models/published/series.csv"));
const FIGURES: (&str, &str) =
    ("models/published/figures.csv", include_str!("../../models/published/figures.csv"));

/// A publication, or a set of runs.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Series {
    /// Its key.
    #[serde(rename = "series")]
    pub id: String,
    /// A heading.
    pub title: String,
    /// What was measured.
    pub version: String,
    /// On which machines.
    pub hardware: String,
    /// How; what was taken where the source does not say.
    pub conditions: String,
    /// Where it stands.
    pub source: String,
}

/// One figure of a series.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Figure {
    series: String,
    /// Data plane; of kube-proxy its mode.
    pub(super) mode: String,
    /// What of: `path`, `client`, `server`, a kind of proxy, a number of services or clusters.
    pub(super) subject: String,
    /// What: `response_time`, `cpu`, …
    pub(super) metric: String,
    /// `mean`, `P50`, …
    pub(super) statistic: String,
    pub(super) value: f64,
    pub(super) unit: String,
    /// Requests per second, if any.
    pub(super) rate_rps: Option<f64>,
    /// Connections of the client, if any.
    pub(super) connections: Option<u32>,
    arrivals: String,
}

impl Figure {
    /// When requests started; in step where the figure does not say.
    pub(super) fn arrivals(&self) -> Arrivals {
        match self.arrivals.as_str() {
            "uniform" => Arrivals::Uniform,
            "jitter" => Arrivals::Jitter,
            "poisson" => Arrivals::Poisson,
            _ => Arrivals::InStep,
        }
    }

    /// The quantile it is, if it is one: 0.5 for `P50`.
    pub(super) fn quantile(&self) -> Option<f64> {
        let percent: f64 = self.statistic.strip_prefix('P')?.parse().ok()?;
        Some(percent / 100.0)
    }

    /// The load in words: `1000 rps, 16 connections in step`; empty without one.
    pub(super) fn load(&self) -> String {
        let Some(rate) = self.rate_rps else { return String::new() };
        let connections = self.connections.unwrap_or(1);
        let arrivals = match self.arrivals.as_str() {
            "in-step" => " in step",
            "jitter" => " with jitter",
            "uniform" => " spread",
            _ => "",
        };
        format!("{rate} rps, {connections} connections{arrivals}")
    }
}

/// The series called `id`, and its figures in their order.
///
/// # Errors
///
/// There is none of this name, or the table cannot be read: neither, as a test sees to.
pub(super) fn series(id: &str) -> Result<(Series, Vec<Figure>), Problems> {
    let meant = all_series()?.into_iter().find(|series| series.id == id);
    let series = meant.ok_or_else(|| problem(SERIES.0, format!("has no series `{id}`")))?;
    let mut figures: Vec<Figure> = read(FIGURES)?;
    figures.retain(|figure| figure.series == id);
    Ok((series, figures))
}

/// All series, in the order of the table.
///
/// # Errors
///
/// The table cannot be read: it can, as a test sees to.
pub fn all_series() -> Result<Vec<Series>, Problems> {
    read(SERIES)
}

fn read<T: DeserializeOwned>((file, text): (&str, &str)) -> Result<Vec<T>, Problems> {
    let rows = csv::Reader::from_reader(text.as_bytes()).into_deserialize();
    rows.collect::<Result<_, _>>()
        .map_err(|error| problem(file, format!("cannot be read: {error}")))
}

fn problem(file: &str, sentence: String) -> Problems {
    let mut problems = Problems::default();
    problems.push(Problem::statement(file, sentence));
    problems
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_figure_belongs_to_a_series_and_every_series_has_figures() {
        let ids: BTreeSet<String> = all_series().unwrap().into_iter().map(|row| row.id).collect();
        let figures: Vec<Figure> = read(FIGURES).unwrap();
        let used: BTreeSet<String> = figures.into_iter().map(|figure| figure.series).collect();
        assert_eq!(ids, used);
    }

    #[test]
    fn figures_have_positive_values_and_known_words() {
        for figure in read::<Figure>(FIGURES).unwrap() {
            assert!(figure.value > 0.0 && figure.value.is_finite(), "{figure:?}");
            assert!(figure.statistic == "mean" || figure.quantile().is_some(), "{figure:?}");
            let arrivals = ["", "in-step", "jitter", "uniform", "poisson"];
            assert!(arrivals.contains(&figure.arrivals.as_str()), "{figure:?}");
            assert_eq!(figure.rate_rps.is_some(), figure.connections.is_some(), "{figure:?}");
        }
    }

    #[test]
    fn a_load_reads_as_words() {
        let (series, figures) = series("eks-study").unwrap();
        assert!(series.source.contains("EKS study"));
        assert_eq!(figures[0].load(), "200 rps, 16 connections in step");
        assert!(figures[0].quantile().is_some_and(|quantile| (quantile - 0.5).abs() < 1e-12));
    }
}
