//! What the simulator says where a figure of a series was measured.

use crate::scenario::problem::{Problem, Problems};
use crate::simulation::summary::{ProxyKind, RunSummary};
use crate::stats::Interval;

use super::bench::{Bench, Plane, Traffic};
use super::claim::{Claim, Kind, Reference};
use super::effort::Effort;
use super::figures::{Figure, Series, series};
use super::replication::{difference, interval, ratio};

/// What a figure may ask of one run.
#[derive(Clone, Debug)]
struct Facts {
    /// Quantiles of the client's response times, in milliseconds, by [`QUANTILES`].
    quantiles_ms: [f64; QUANTILES.len()],
    failed_requests: u64,
    proxies: Vec<Proxy>,
}

const QUANTILES: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

/// CPU and memory of one proxy.
#[derive(Clone, Debug)]
struct Proxy {
    kind: ProxyKind,
    /// Name of its workload without the namespace; empty for a ztunnel.
    workload: String,
    cores: f64,
    memory_bytes: f64,
}

impl Facts {
    fn of(run: &RunSummary) -> Self {
        let source = &run.sources[0];
        let quantile = |q| source.response_times.quantile(q).unwrap_or_default().as_millis_f64();
        let proxies = run.proxies.iter().map(|proxy| Proxy {
            kind: proxy.kind,
            workload: proxy.workload.rsplit('/').next().unwrap_or_default().to_owned(),
            cores: proxy.cpu_ns as f64 / 1e9 / run.measured_s,
            memory_bytes: proxy.memory_bytes as f64,
        });
        Self {
            quantiles_ms: QUANTILES.map(quantile),
            failed_requests: source.failed_requests,
            proxies: proxies.collect(),
        }
    }

    fn quantile_ms(&self, quantile: f64) -> Option<f64> {
        let position = QUANTILES.iter().position(|known| (known - quantile).abs() < 1e-9)?;
        Some(self.quantiles_ms[position])
    }

    /// Mean over the proxies that `subject` means, or their sum if it means all.
    fn of_proxies(&self, subject: &str, pick: fn(&Proxy) -> f64) -> Option<f64> {
        let is_meant = |proxy: &&Proxy| match subject {
            "sidecar" | "ztunnel" | "waypoint" => proxy.kind.label() == subject,
            "all proxies" => true,
            workload => proxy.kind == ProxyKind::Sidecar && proxy.workload == workload,
        };
        let meant: Vec<f64> = self.proxies.iter().filter(is_meant).map(pick).collect();
        let count = if subject == "all proxies" { 1.0 } else { meant.len() as f64 };
        (!meant.is_empty()).then(|| meant.iter().sum::<f64>() / count)
    }
}

/// The load of a figure in a data plane, to tell whether it was simulated before.
#[derive(Clone, Debug, PartialEq)]
struct Load {
    plane: Plane,
    rate: f64,
    connections: u32,
    arrivals: crate::workload::Arrivals,
}

/// Simulates the loads of figures, each once.
pub(super) struct Predictor<'a> {
    bench: &'a Bench,
    effort: Effort,
    known: Vec<(Load, Vec<Facts>)>,
}

impl<'a> Predictor<'a> {
    pub(super) fn new(bench: &'a Bench, effort: Effort) -> Self {
        Self { bench, effort, known: Vec::new() }
    }

    /// What `pick` takes from each replication of the load of `figure` in `plane`.
    fn observe(
        &mut self,
        plane: Plane,
        figure: &Figure,
        pick: impl Fn(&Facts) -> Option<f64>,
    ) -> Result<Vec<f64>, Problems> {
        let load = Load {
            plane,
            rate: figure.rate_rps.unwrap_or(1.0),
            connections: figure.connections.unwrap_or(1),
            arrivals: figure.arrivals(),
        };
        let known = self.known.iter().position(|(other, _)| *other == load);
        let position = match known {
            Some(position) => position,
            None => {
                let traffic = Traffic::new(load.rate, load.connections, load.arrivals.clone());
                let facts = self.bench.observe(plane, &traffic, self.effort, Facts::of)?;
                self.known.push((load, facts));
                self.known.len() - 1
            }
        };
        Ok(self.known[position].1.iter().map(|facts| pick(facts).unwrap_or(f64::NAN)).collect())
    }

    /// Requests that failed over all replications of the load of `figure` in `plane`.
    pub(super) fn failed(&mut self, plane: Plane, figure: &Figure) -> Result<Vec<f64>, Problems> {
        self.observe(plane, figure, |facts| Some(facts.failed_requests as f64))
    }

    /// Response times at the quantile of `figure`, in milliseconds, one per replication.
    pub(super) fn response_times(
        &mut self,
        plane: Plane,
        figure: &Figure,
    ) -> Result<Vec<f64>, Problems> {
        let quantile = figure.quantile().unwrap_or(f64::NAN);
        self.observe(plane, figure, |facts| facts.quantile_ms(quantile))
    }

    /// Ours for `figure`, in its unit.
    pub(super) fn predict(&mut self, figure: &Figure) -> Result<Interval, Problems> {
        let plane = plane(&figure.mode)?;
        match figure.metric.as_str() {
            "response_time" => Ok(interval(&self.response_times(plane, figure)?)),
            "response_time_added" => {
                let baseline = self.response_times(Plane::None, figure)?;
                Ok(difference(&baseline, &self.response_times(plane, figure)?))
            }
            "cpu_ratio" => {
                let other = plane_of(&figure.subject)?;
                let total = |facts: &Facts| facts.of_proxies("all proxies", |proxy| proxy.cores);
                let numerator = self.observe(plane, figure, total)?;
                Ok(ratio(&numerator, &self.observe(other, figure, total)?))
            }
            "cpu" => {
                let subject = figure.subject.as_str();
                let cores = |facts: &Facts| facts.of_proxies(subject, |proxy| proxy.cores);
                Ok(interval(&self.observe(plane, figure, cores)?))
            }
            "memory" => {
                let unit = bytes_of(&figure.unit);
                let subject = figure.subject.as_str();
                let memory = |facts: &Facts| {
                    facts.of_proxies(subject, |proxy| proxy.memory_bytes).map(|bytes| bytes / unit)
                };
                Ok(interval(&self.observe(plane, figure, memory)?))
            }
            metric => Err(unknown("metric", metric)),
        }
    }
}

/// Bytes in `MB` and `MiB`.
pub(super) fn bytes_of(unit: &str) -> f64 {
    if unit == "MiB" { 1024.0 * 1024.0 } else { 1e6 }
}

fn plane(mode: &str) -> Result<Plane, Problems> {
    Plane::named(mode).ok_or_else(|| unknown("mode", mode))
}

fn plane_of(subject: &str) -> Result<Plane, Problems> {
    Plane::named(subject).ok_or_else(|| unknown("subject", subject))
}

fn unknown(column: &str, word: &str) -> Problems {
    let mut problems = Problems::default();
    let sentence = format!("is `{word}`, which is not simulated here");
    problems.push(Problem::statement(format!("models/published/figures.csv: {column}"), sentence));
    problems
}

/// What `figure` of `series` claims, in words.
pub(super) fn words(series: &Series, figure: &Figure) -> String {
    let Figure { mode, subject, metric, statistic, .. } = figure;
    let what = match metric.as_str() {
        "response_time" if mode == "none" => format!("{statistic} without a proxy"),
        "response_time" => format!("{statistic}, {mode}"),
        "response_time_added" => format!("{statistic} added by {mode}"),
        "cpu_ratio" => format!("proxy CPU of {mode} over {subject}"),
        "cpu" if subject == "all proxies" => format!("CPU of all proxies, {mode}"),
        "cpu" => format!("CPU of {}", owner(subject)),
        "memory" => format!("memory of {}", owner(subject)),
        other => other.replace('_', " "),
    };
    let load = figure.load();
    let separator = if load.is_empty() { "" } else { " at " };
    format!("{}: {what}{separator}{load}", series.title)
}

fn owner(subject: &str) -> String {
    match subject {
        "client" | "server" => format!("the {subject}'s sidecar"),
        kind => format!("a {kind}"),
    }
}

/// Simulates every figure of the series called `id` on `bench`: claims that are shown, each with
/// its figure.
pub(super) fn predict_series(
    id: &str,
    kind: Kind,
    bench: &Bench,
    effort: Effort,
) -> Result<Vec<(Figure, Claim)>, Problems> {
    let (series, figures) = series(id)?;
    let mut predictor = Predictor::new(bench, effort);
    let claim = |figure: Figure| {
        let ours = predictor.predict(&figure)?;
        let claim = Claim::shown(kind, reference(&series, &figure), ours);
        Ok((figure, claim))
    };
    figures.into_iter().map(claim).collect()
}

/// What `figure` is compared with.
pub(super) fn reference(series: &Series, figure: &Figure) -> Reference {
    Reference::new(words(series, figure), figure.value, &figure.unit, &series.source)
}
