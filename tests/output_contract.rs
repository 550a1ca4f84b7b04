//! The files that an experiment leaves behind: names, columns, metrics, bytes, all or nothing.
//!
//! `MESHSIM_BLESS=1 cargo test --test output_contract` rewrites the golden files.

#![expect(clippy::unwrap_used, reason = "what cannot be set up fails the test")]

use std::fs;
use std::path::{Path, PathBuf};

use meshsim::experiment::result::{
    Cell, Comparison, Estimate, ExpectationOutcome, ExperimentResult, Input, MeasureId, Metric,
    Statistic, Verdict, Wanted,
};
use meshsim::report::output_folder::OutputFolder;
use meshsim::report::terminal::{self, Style, table};
use meshsim::report::{ReportError, WallClock, plot};
use meshsim::simulation::summary::{
    NodeSummary, ProxyKind, ProxySummary, Reporter, ResponseCount, RunEvent, RunSummary,
    SourceSummary, Window, WorkloadSummary,
};
use meshsim::stats::ResponseTimes;
use meshsim::units::SimDuration;
use resvg::tiny_skia::Pixmap;

/// A folder that goes away with the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let name = format!("meshsim-contract-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        drop(fs::remove_dir_all(&path));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// Writes `result` and returns where.
    fn write(&self, result: &ExperimentResult) -> PathBuf {
        let target = self.0.join("output");
        meshsim::report::write(result, &clock(), &target).unwrap();
        target
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn clock() -> WallClock {
    WallClock { started: "2026-01-01T00:00:00Z".into(), seconds: 2.0, threads: 2 }
}

fn times(millis: impl IntoIterator<Item = u64>) -> ResponseTimes {
    let mut times = ResponseTimes::new();
    millis.into_iter().for_each(|millis| times.record(SimDuration::from_millis(millis)));
    times
}

/// Ten requests in two windows of one second: nine answered after 1 to 9 ms plus `added_ms`, one
/// failed.
fn source(added_ms: u64) -> SourceSummary {
    let window = |requests, failed_requests, p50: u64, p99: u64| Window {
        requests,
        failed_requests,
        response_time_p50: Some(SimDuration::from_millis(p50 + added_ms)),
        response_time_p99: Some(SimDuration::from_millis(p99 + added_ms)),
    };
    SourceSummary {
        is_load_generator: true,
        source: "demo/client".into(),
        destination: "demo/echo".into(),
        response_times: times((1..=9).map(|millis| millis + added_ms)),
        requests: 10,
        failed_requests: 1,
        masked_failures: 2,
        attempts: 13,
        windows: vec![window(5, 0, 3, 5), window(5, 1, 7, 9)],
    }
}

fn sidecar() -> ProxySummary {
    ProxySummary {
        proxy: "demo/client-0".into(),
        kind: ProxyKind::Sidecar,
        workload: "demo/client".into(),
        node: "node-0".into(),
        workers: 2,
        cpu_ns: 40_000_000,
        memory_bytes: 48 << 20,
        requests: 10,
        queue_wait_ns: 300_000,
        visits: 20,
        counters: vec![("outlier_detection.ejections_enforced_total", 1), ("upstream_rq_retry", 3)],
    }
}

fn run(added_ms: u64, proxies: Vec<ProxySummary>) -> RunSummary {
    RunSummary {
        measured_s: 2.0,
        window_s: 1.0,
        sources: vec![source(added_ms)],
        responses: vec![ResponseCount {
            source: "demo/client".into(),
            destination: "demo/echo".into(),
            reporter: Reporter::Source,
            response_code: 503,
            response_flags: "UF,URX".into(),
            requests: 1,
        }],
        events: proxies
            .iter()
            .map(|proxy| RunEvent {
                t_s: 0.25,
                event: "endpoint_ejected",
                subject: proxy.proxy.clone(),
                detail: "10.0.0.7:8080, consecutive_5xx".into(),
            })
            .collect(),
        proxies,
        nodes: vec![NodeSummary { node: "node-0".into(), cores: 4, cpu_ns: 500_000_000 }],
        workloads: vec![WorkloadSummary {
            workload: "demo/echo".into(),
            pods: 3,
            app_cpu_ns: 100_000_000,
            requests: 10,
            queued: 0,
            refused: 0,
        }],
        event_count: 120,
        digest: 0xfeed,
    }
}

fn cell(variant: &str, point: &str, replications: Vec<RunSummary>) -> Cell {
    Cell { variant: variant.into(), point: point.into(), replications }
}

/// Sidecars add 2 and 4 ms: 3 ms on the average.
fn small() -> ExperimentResult {
    let replications = |added: [u64; 2], proxies: fn() -> Vec<ProxySummary>| {
        added.into_iter().map(|added| run(added, proxies())).collect()
    };
    ExperimentResult {
        name: "small".into(),
        question: "Is 1 < 2 & \"so\" on?".into(),
        seed: 7,
        cells: vec![
            cell("none", "load.rate=5", replications([0, 1], Vec::new)),
            cell("sidecar", "load.rate=5", replications([2, 5], || vec![sidecar()])),
        ],
        checks: vec![expectation()],
        inputs: vec![Input { path: "experiment.yaml".into(), digest: "00ff".into() }],
        assumptions: vec!["Packets are never lost.".into()],
        command: "meshsim run experiment.yaml".into(),
    }
}

fn expectation() -> ExpectationOutcome {
    ExpectationOutcome {
        text: "P50 of response_time, sidecar less none, at load.rate=5".into(),
        variant: "sidecar".into(),
        point: "load.rate=5".into(),
        measure: MeasureId::whole(Metric::ResponseTime, Statistic::P50),
        versus: Some(Comparison::Difference("none".into())),
        ours: Estimate::of(&[2.0, 4.0]),
        wanted: Wanted::within(2.5, 1.0),
        verdict: Verdict::Met,
        source: "a measurement, 2026".into(),
    }
}

const HEADERS: [(&str, &str); 6] = [
    (
        "summary.csv",
        "experiment,variant,point,scope,metric,statistic,value,unit,ci_low,ci_high,replications",
    ),
    ("timeseries.csv", "experiment,variant,point,replication,scope,metric,t_s,value,unit"),
    (
        "responses.csv",
        "experiment,variant,point,replication,source,destination,reporter,response_code,\
         response_flags,requests",
    ),
    (
        "proxies.csv",
        "experiment,variant,point,replication,proxy,kind,workload,node,workers,cpu_cores,\
         cpu_us_per_request,memory_mib,queue_wait_us,requests",
    ),
    ("events.csv", "experiment,variant,point,replication,t_s,event,subject,detail"),
    (
        "expectations.csv",
        "experiment,variant,point,scope,metric,statistic,comparison,versus,value,unit,ci_low,\
         ci_high,wanted,wanted_low,wanted_high,verdict,source,text",
    ),
];

#[test]
fn the_columns_are_those_of_the_contract_with_and_without_rows() {
    let scratch = Scratch::new("headers");
    for result in [small(), ExperimentResult::default()] {
        let folder = scratch.write(&result);
        for (file, header) in HEADERS {
            let text = fs::read_to_string(folder.join(file)).unwrap();
            let first = text.lines().next().unwrap();
            let counters = ",outlier_detection.ejections_enforced_total,upstream_rq_retry";
            let with_counters = file == "proxies.csv" && !result.cells.is_empty();
            let expected = if with_counters { header.to_owned() + counters } else { header.into() };
            assert_eq!(first, expected, "{file}");
        }
    }
}

/// Metric, unit and statistics that everyone relies on.
#[test]
fn the_metrics_are_those_of_the_contract() {
    let all = ["mean", "p50", "p90", "p99", "p99.9"].as_slice();
    let contract = [
        ("response_time", "ms", all),
        ("requests", "count", &["mean"]),
        ("failed_requests", "count", &["mean"]),
        ("failure_share", "fraction", &["mean"]),
        ("attempts_per_request", "1", &["mean"]),
        ("masked_failures", "count", &["mean"]),
        ("goodput", "req/s", &["mean"]),
        ("proxy_cpu", "cores", &["mean"]),
        ("app_cpu", "cores", &["mean"]),
        ("node_cpu", "cores", &["mean"]),
        ("proxy_memory", "MiB", &["mean"]),
        ("ejections", "count", &["mean"]),
        ("time_to_first_ejection", "s", &["mean"]),
    ];
    let scratch = Scratch::new("metrics");
    let text = fs::read_to_string(scratch.write(&small()).join("summary.csv")).unwrap();
    for (metric, unit, statistics) in contract {
        for statistic in statistics {
            let start = format!("small,sidecar,load.rate=5,,{metric},{statistic},");
            let row = text.lines().find(|row| row.starts_with(&start));
            let row = row.unwrap_or_else(|| panic!("no row {start}"));
            assert_eq!(row.split(',').nth(7), Some(unit), "{row}");
        }
    }
}

/// The experiment file speaks of the metrics that the CSV file reports.
#[test]
fn experiments_and_files_name_the_same_metrics() {
    let mut reported: Vec<&str> = Metric::ALL.iter().map(|metric| metric.name()).collect();
    let mut spoken_of = meshsim::scenario::spec::Metric::NAMES.to_vec();
    reported.sort_unstable();
    spoken_of.sort_unstable();
    assert_eq!(reported, spoken_of);
}

#[test]
fn a_small_result_gives_the_golden_files() {
    let scratch = Scratch::new("golden");
    let folder = scratch.write(&small());
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/output");
    for file in HEADERS.map(|(file, _)| file).into_iter().chain(["run.json"]) {
        let text = fs::read_to_string(folder.join(file)).unwrap();
        if std::env::var_os("MESHSIM_BLESS").is_some() {
            fs::create_dir_all(&golden).unwrap();
            fs::write(golden.join(file), &text).unwrap();
        }
        assert_eq!(text, fs::read_to_string(golden.join(file)).unwrap(), "{file}");
    }
}

/// Worked out by hand: means 5 and 6 against 7 and 10; differences 2 and 4, whose interval is
/// 3 ± t(1) · 1 with t(1) = 12.7062.
#[test]
fn added_response_time_is_paired_by_replication() {
    let scratch = Scratch::new("paired");
    let text = fs::read_to_string(scratch.write(&small()).join("summary.csv")).unwrap();
    let row = "small,sidecar,load.rate=5,,response_time_added,mean,3,ms,-9.7062,15.7062,2";
    assert!(text.lines().any(|line| line == row), "{text}");
    assert!(!text.contains("none,load.rate=5,,response_time_added"), "the baseline adds nothing");
}

#[test]
fn every_column_and_metric_is_explained() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("output/README.md");
    let readme = fs::read_to_string(readme).unwrap();
    for (file, header) in HEADERS {
        assert!(readme.contains(&format!("## {file}\n")), "{file}");
        assert!(readme.contains(header), "{header}");
    }
    for metric in Metric::ALL {
        let row = format!("| `{}` |", metric.name());
        let line = readme.lines().find(|line| line.starts_with(&row));
        assert!(line.is_some_and(|line| line.contains(metric.unit())), "{row}");
    }
}

#[test]
fn the_same_result_gives_the_same_bytes() {
    let (one, other) = (Scratch::new("bytes-1"), Scratch::new("bytes-2"));
    let (one, other) = (one.write(&small()), other.write(&small()));
    let mut files = 0;
    for entry in fs::read_dir(&one).unwrap() {
        let name = entry.unwrap().file_name();
        assert_eq!(fs::read(one.join(&name)).unwrap(), fs::read(other.join(&name)).unwrap());
        files += 1;
    }
    assert!(files >= 14, "CSV, plots, page and manifest: {files}");
}

#[test]
fn a_failed_write_leaves_what_was_there() {
    let scratch = Scratch::new("atomic");
    let folder = scratch.write(&small());
    let before = fs::read(folder.join("summary.csv")).unwrap();
    let half = OutputFolder::begin(&folder).unwrap();
    fs::write(half.path().join("summary.csv"), "half").unwrap();
    let refused = meshsim::report::write(&small(), &clock(), &folder);
    assert!(matches!(refused, Err(ReportError::Busy(_))), "{refused:?}");
    drop(half);
    assert_eq!(fs::read(folder.join("summary.csv")).unwrap(), before);
    assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 1, "nothing is left beside it");
}

#[test]
fn a_file_in_place_of_the_folder_is_not_touched() {
    let scratch = Scratch::new("file");
    let target = scratch.0.join("output");
    fs::write(&target, "precious").unwrap();
    assert!(meshsim::report::write(&small(), &clock(), &target).is_err());
    assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
    assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 1);
}

/// Removes what is not CSV and draws again: nothing but the CSV files is needed.
#[test]
fn plots_are_redrawn_from_the_csv_files_alone() {
    let scratch = Scratch::new("redraw");
    let folder = scratch.write(&small());
    let before = fs::read(folder.join("added-latency.png")).unwrap();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "csv") {
            fs::remove_file(path).unwrap();
        }
    }
    let names: Vec<String> =
        plot::redraw(&folder).unwrap().into_iter().map(|plot| plot.name).collect();
    assert_eq!(names, ["latency-percentiles", "added-latency", "proxy-cpu", "timeline"]);
    assert_eq!(fs::read(folder.join("added-latency.png")).unwrap(), before);
}

#[test]
fn a_broken_csv_file_is_an_error_that_names_it() {
    let scratch = Scratch::new("broken");
    let folder = scratch.write(&small());
    let summary = folder.join("summary.csv");
    let text = fs::read_to_string(&summary).unwrap().replace(",3,ms,", ",three,ms,");
    fs::write(&summary, text).unwrap();
    let error = plot::redraw(&folder).unwrap_err().to_string();
    assert!(error.contains("summary.csv") && error.contains("line"), "{error}");
}

#[test]
fn plots_say_what_they_show() {
    let scratch = Scratch::new("labels");
    let folder = scratch.write(&small());
    let labels: [(&str, &[&str]); 4] = [
        ("latency-percentiles", &["none", "sidecar", "P99.9", "Response time (ms)", "95 % conf"]),
        ("added-latency", &["sidecar", "baseline “none”", "expected value", "load.rate = 5"]),
        ("proxy-cpu", &["none", "sidecar", "CPU (cores)", "load.rate = 5"]),
        ("timeline", &["none", "Failed requests (req/s)", "P99 response time (ms)", "warm-up (s)"]),
    ];
    for (plot, expected) in labels {
        let svg = fs::read_to_string(folder.join(format!("{plot}.svg"))).unwrap();
        for label in expected {
            assert!(svg.contains(label), "{plot} does not say {label}");
        }
    }
}

#[test]
fn with_several_callers_the_timeline_shows_the_slowest() {
    let mut several = small();
    for replication in several.cells.iter_mut().flat_map(|cell| &mut cell.replications) {
        let other = SourceSummary { source: "demo/batch".into(), ..source(20) };
        replication.sources.push(other);
    }
    let scratch = Scratch::new("several");
    let folder = scratch.write(&several);
    let rows = fs::read_to_string(folder.join("timeseries.csv")).unwrap();
    assert!(rows.contains(",0,,request_rate,0,10,req/s"), "rates add up");
    assert!(!rows.contains(",,response_time_p99,"), "percentiles do not");
    let svg = fs::read_to_string(folder.join("timeline.svg")).unwrap();
    assert!(svg.contains("P99 of the slowest caller (ms)") && !svg.contains("no answers"));
}

/// The font travels with the binary: dark pixels of letters are there without any installed.
#[test]
fn png_images_have_twice_the_size_of_the_svg_and_hold_text_and_colours() {
    let scratch = Scratch::new("png");
    let folder = scratch.write(&small());
    for plot in plot::draw(&folder).unwrap() {
        let png = fs::read(folder.join(format!("{}.png", plot.name))).unwrap();
        let image = Pixmap::decode_png(&png).unwrap();
        let height = plot.svg.split("height=\"").nth(1).unwrap();
        let height: f64 = height.split('"').next().unwrap().parse().unwrap();
        let size = (image.width(), image.height());
        assert_eq!(size, (1800, (2.0 * height).round() as u32), "{}", plot.name);
        let title = (0..80 * 1800).filter(|&index| {
            let pixel = image.pixels()[index];
            pixel.red() < 0x60 && pixel.green() < 0x60
        });
        assert!(title.count() > 200, "{} has no title", plot.name);
    }
}

#[test]
fn the_page_stands_alone_and_escapes_what_users_write() {
    let scratch = Scratch::new("page");
    let page = fs::read_to_string(scratch.write(&small()).join("report.html")).unwrap();
    let without_namespace = page.replace("http://www.w3.org/2000/svg", "");
    for outside in ["http:", "https:", "<script", "<link", "url(", "@import"] {
        assert!(!without_namespace.contains(outside), "{outside}");
    }
    assert!(page.contains("Is 1 &lt; 2 &amp; &quot;so&quot; on?"));
    for content in ["✓ met", "a measurement, 2026", "Packets are never lost.", "00ff", "+20.0 %"]
    {
        assert!(page.contains(content), "{content}");
    }
    assert_eq!(page.matches("<svg").count(), 4);
}

#[test]
fn the_terminal_table_is_narrow_and_says_everything() {
    let plain = table(&small(), Style::Plain);
    for content in ["added P50", "3 ±13", "✓ P50 of response_time", "1 of 1 expectations met"] {
        assert!(plain.contains(content), "{content} is missing in\n{plain}");
    }
    assert!(!plain.contains('\x1b') && table(&small(), Style::Colored).contains("\x1b[32m✓"));
    let mut long = small();
    for cell in &mut long.cells {
        cell.variant = format!("{}-{}", cell.variant, "very-long-name".repeat(20));
        cell.point = format!("{};{}=1", cell.point, "parameter".repeat(30));
    }
    long.checks[0].text = "word ".repeat(100) + &"letters".repeat(40);
    for line in table(&long, Style::Plain).lines() {
        assert!(line.chars().count() <= terminal::WIDTH, "{line}");
    }
    assert_eq!(table(&ExperimentResult::default(), Style::Plain), "");
}
