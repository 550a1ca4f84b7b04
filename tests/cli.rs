//! The commands as a person or a script meets them: what they print where, how they end, what
//! they leave behind.

#![expect(clippy::unwrap_used, reason = "what cannot be set up fails the test")]

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use support::Scratch;

/// An experiment that takes a moment. `EXPECT` and `DURATION` are replaced.
const EXPERIMENT: &str = r#"
apiVersion: meshsim/v1
kind: Experiment
metadata: {name: small}
spec:
  question: How long does an echo take?
  model: MODEL
  load: [{from: client, to: "http://echo:8080/", rate: 100, connections: 4, arrivals: in-step}]
  variants:
    - {name: none, dataPlane: none}
    - {name: sidecar, dataPlane: sidecar}
  warmUp: 200ms
  duration: DURATION
  replications: {min: 2}
  expect: [EXPECT]
"#;

const HOLDS: &str = "{metric: failed_requests, variant: none, atMost: 0}";
const FAILS: &str = "{metric: response_time, statistic: p50, variant: sidecar, versus: none, \
                     is: 9ms, within: 1ms, source: nowhere}";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn meshsim(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_meshsim"));
    command.args(arguments).current_dir(root()).stdin(Stdio::null());
    command
}

/// The experiment in a folder of its own, with the echo model.
fn experiment(scratch: &Scratch, expect: &str, duration: &str) -> PathBuf {
    let model = root().join("models/echo");
    let text = EXPERIMENT
        .replace("MODEL", &model.display().to_string())
        .replace("DURATION", duration)
        .replace("EXPECT", expect);
    scratch.file("experiment.yaml", &text)
}

struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

fn ended(output: Output) -> Ended {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

fn run(arguments: &[&str]) -> Ended {
    ended(meshsim(arguments).output().unwrap())
}

/// `meshsim run` of the file with results in the scratch folder, and further arguments.
fn run_experiment(scratch: &Scratch, file: &Path, further: &[&str]) -> Ended {
    let output = scratch.path().join("output");
    let mut arguments = vec!["run", file.to_str().unwrap(), "--output", output.to_str().unwrap()];
    arguments.extend(further);
    run(&arguments)
}

fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<_> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

#[test]
fn expectations_that_hold_exit_0_and_leave_every_file_of_the_contract() {
    let scratch = Scratch::new("holds");
    let ended = run_experiment(&scratch, &experiment(&scratch, HOLDS, "1s"), &[]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""));
    assert!(ended.out.contains("How long does an echo take?"));
    assert!(ended.out.contains("1 of 1 expectations met"), "{}", ended.out);
    let written = names(&scratch.path().join("output/small"));
    for file in [
        "events.csv",
        "expectations.csv",
        "proxies.csv",
        "report.html",
        "responses.csv",
        "run.json",
        "summary.csv",
        "timeseries.csv",
    ] {
        assert!(written.iter().any(|name| name == file), "{file} is not in {written:?}");
    }
    assert_eq!(names(&scratch.path().join("output")), ["small"]);
}

#[test]
fn an_expectation_that_fails_exits_1_and_says_by_how_much() {
    let scratch = Scratch::new("fails");
    let ended = run_experiment(&scratch, &experiment(&scratch, FAILS, "1s"), &[]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.out.contains("✗ p50 of response_time, sidecar over none"), "{}", ended.out);
    assert!(ended.out.contains("9 ± 1"), "{}", ended.out);
    assert!(ended.out.contains("0 of 1 expectations met"));
}

#[test]
fn a_quick_run_says_so_and_is_judged_all_the_same() {
    let scratch = Scratch::new("quick");
    let file = experiment(&scratch, FAILS, "10s");
    let ended = run_experiment(&scratch, &file, &["--quick"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.out.contains("Quick run: a tenth of the warm-up and duration"), "{}", ended.out);
    let page = fs::read_to_string(scratch.path().join("output/small/report.html")).unwrap();
    assert!(page.contains("Quick run"));
}

/// What a run takes for granted stands in its report.
#[test]
fn bytes_sent_to_an_http_port_are_told_of() {
    let scratch = Scratch::new("bytes-to-http");
    let text = fs::read_to_string(experiment(&scratch, HOLDS, "1s")).unwrap();
    let file = scratch.file("tcp.yaml", &text.replace("http://echo:8080/", "tcp://echo:8080"));
    assert_eq!(run_experiment(&scratch, &file, &[]).code, Some(0));
    let page = fs::read_to_string(scratch.path().join("output/small/report.html")).unwrap();
    assert!(page.contains("its port is declared HTTP"), "the page says nothing of it");
}

#[test]
fn machines_get_one_json_document() {
    let scratch = Scratch::new("json");
    let file = experiment(&scratch, &format!("{HOLDS}, {FAILS}"), "1s");
    let ended = run_experiment(&scratch, &file, &["--json", "--seed", "7", "--replications", "3"]);
    assert_eq!(ended.code, Some(1));
    let document: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    let small = &document["experiments"][0];
    assert_eq!((&small["seed"], &small["passed"]), (&7.into(), &false.into()));
    assert_eq!(small["expectations"][0]["verdict"], "met");
    assert_eq!(small["expectations"][1]["verdict"], "missed");
    assert_eq!(small["cells"][1]["variant"], "sidecar");
    assert_eq!(small["cells"][1]["replications"], 3);
}

#[test]
fn all_problems_of_all_experiments_are_told_before_anything_is_run() {
    let scratch = Scratch::new("problems");
    let text = fs::read_to_string(experiment(&scratch, HOLDS, "1s")).unwrap();
    let wrong = text
        .replace("from: client", "from: cliant")
        .replace("http://echo:8080/", "http://echo:81/")
        .replace("dataPlane: none", "dataPlane: none, set: {\"Service/eco:spec.type\": x}");
    let first = scratch.file("first.yaml", &wrong);
    let second = scratch.file("second.yaml", &text.replace("replications", "replicas"));
    let output = scratch.path().join("output");
    let arguments = [&first, &second, Path::new("--output"), &output];
    let ended = run(&["run"]
        .into_iter()
        .chain(arguments.iter().map(|argument| argument.to_str().unwrap()))
        .collect::<Vec<_>>());
    assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""));
    for told in [
        "first.yaml:8",
        "`cliant`, but must name a workload of the model: echo/client, echo/echo",
        "Service/eco names no object of the model",
        "the model has Service/echo/echo",
        "second.yaml",
        "replicas",
        "nothing was run.",
    ] {
        assert!(ended.err.contains(told), "{told}\n{}", ended.err);
    }
    assert_eq!(names(&output), [""; 0]);
}

#[test]
fn setting_what_is_not_modelled_is_refused() {
    let scratch = Scratch::new("unmodelled");
    let text = fs::read_to_string(experiment(&scratch, HOLDS, "1s")).unwrap();
    let set = "dataPlane: none, set: {\"Deployment/client:template.spec.hostname\": x}";
    let file = scratch.file("set.yaml", &text.replace("dataPlane: none", set));
    let ended = run_experiment(&scratch, &file, &[]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("sets a field that is not modelled"), "{}", ended.err);
}

#[test]
fn wrong_arguments_and_unreadable_files_exit_2() {
    let scratch = Scratch::new("unreadable");
    let nowhere = scratch.path().join("nowhere");
    let nowhere = nowhere.to_str().unwrap();
    for arguments in [
        &["run"][..],
        &["fly"],
        &["run", nowhere],
        &["run", "--threads", "0", nowhere],
        &["run", "models/echo"],
        &["check", nowhere],
        &["plot", nowhere],
        &["path", nowhere, "--from", "a", "--to", "b"],
        &["path", "models/echo", "--from", "nobody", "--to", "echo"],
        &["path", "models/echo", "--from", "client", "--to", "echo:1"],
        &["path", "models/echo", "--from", "client", "--to", "echo", "--variant", "x"],
        &["path", "models/echo", "--from", "client", "--to", "echo", "--via", "x"],
    ] {
        let ended = run(arguments);
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ended.err.starts_with("error: "), "{arguments:?}: {}", ended.err);
        assert!(!ended.err.contains("panicked"), "{arguments:?}: {}", ended.err);
    }
}

#[test]
fn two_experiments_of_one_name_are_refused() {
    let scratch = Scratch::new("same-name");
    let file = experiment(&scratch, HOLDS, "1s");
    let ended = run_experiment(&scratch, &file, &[file.to_str().unwrap()]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("2 experiments are called `small`"), "{}", ended.err);
}

#[test]
fn output_that_cannot_be_written_is_told_before_the_simulation() {
    let scratch = Scratch::new("unwritable");
    let file = experiment(&scratch, HOLDS, "1000s");
    let blocked = scratch.file("blocked", "a file where a folder should be");
    let ended = run(&["run", file.to_str().unwrap(), "--output", blocked.to_str().unwrap()]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.contains("blocked"), "{}", ended.err);
}

#[test]
fn pipes_get_no_escape_codes_and_no_progress() {
    let scratch = Scratch::new("plain");
    let file = experiment(&scratch, FAILS, "1s");
    let wrong = scratch.file("wrong.yaml", "apiVersion: meshsim/v1\nkind: Experiment\n");
    for ended in [
        run_experiment(&scratch, &file, &[]),
        run_experiment(&scratch, &wrong, &[]),
        run(&["check", "models/echo"]),
        run(&["path", "models/echo", "--from", "client", "--to", "echo", "--data-plane", "all"]),
        run(&["--help"]),
        run(&["fly"]),
    ] {
        let all = format!("{}{}", ended.out, ended.err);
        assert!(!all.contains('\x1b') && !all.contains('\r'), "{all:?}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    for arguments in [
        &["schema"][..],
        &["path", "models/echo", "--from", "client", "--to", "echo", "--data-plane", "all"],
        &["check", "models/echo"],
        &["--help"],
    ] {
        let mut command = meshsim(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut complaints = String::new();
        child.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
        let status = child.wait().unwrap();
        assert!(complaints.is_empty(), "{arguments:?}: {complaints}");
        assert_eq!(status.code(), Some(0), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = meshsim(&["schema"]);
    let ended = ended(command.stdout(full).stderr(Stdio::piped()).output().unwrap());
    assert_eq!(ended.code, Some(2));
    assert!(ended.err.starts_with("error: cannot write to standard output"), "{}", ended.err);
}

/// Killed in the middle, a run leaves the output of the run before, or none, and nothing else;
/// the next run completes.
#[test]
fn a_killed_run_leaves_nothing_half_written() {
    let scratch = Scratch::new("killed");
    let output = scratch.path().join("output");
    let long = experiment(&scratch, HOLDS, "3000s");
    for before in [None, Some("first")] {
        let mut child =
            meshsim(&["run", long.to_str().unwrap(), "--output", output.to_str().unwrap()])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
        sleep(Duration::from_millis(400));
        assert_eq!(child.try_wait().unwrap(), None, "it ended before it could be killed");
        child.kill().unwrap();
        child.wait().unwrap();
        let left: Vec<String> = names(&output);
        assert_eq!(left, before.map_or(vec![], |_| vec!["small".to_owned()]));

        let short = experiment(&scratch, HOLDS, "1s");
        let ended = run_experiment(&scratch, &short, &[]);
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        assert!(names(&output.join("small")).contains(&"report.html".to_owned()));
        experiment(&scratch, HOLDS, "3000s");
    }
}

/// Killed at any moment, while it writes too, a run leaves a whole folder or none.
#[test]
fn whenever_a_run_is_killed_its_folder_is_whole() {
    let scratch = Scratch::new("killed-writing");
    let output = scratch.path().join("output");
    let file = experiment(&scratch, HOLDS, "1s");
    assert_eq!(run_experiment(&scratch, &file, &[]).code, Some(0));
    let whole = names(&output.join("small"));
    for step in 0..30 {
        let mut command =
            meshsim(&["run", file.to_str().unwrap(), "--output", output.to_str().unwrap()]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_millis(10 * step));
        child.kill().unwrap();
        child.wait().unwrap();
        let mut found = names(&output.join("small"));
        // The last file of a folder just put in place, without content.
        found.retain(|name| name != ".lock");
        // Between its two renames the previous folder waits under its hidden name.
        let is_moved = found.is_empty() && names(&output.join(".small.previous")) == whole;
        assert!(found == whole || is_moved, "killed after {step}0 ms: {found:?}");
    }
    assert_eq!(run_experiment(&scratch, &file, &[]).code, Some(0));
    assert_eq!((names(&output), names(&output.join("small"))), (vec!["small".to_owned()], whole));
}

#[test]
fn standard_input_is_read_as_a_model_and_as_an_experiment() {
    let model: String = ["behavior", "client", "cluster", "echo", "waypoint"]
        .map(|name| fs::read_to_string(root().join(format!("models/echo/{name}.yaml"))).unwrap())
        .join("\n---\n");
    let checked = fed(&["check", "-", "--strict"], &model);
    assert_eq!(checked.code, Some(0), "{}", checked.err);
    assert!(checked.out.contains("Deployment"), "{}", checked.out);

    let scratch = Scratch::new("stdin");
    let text = fs::read_to_string(experiment(&scratch, HOLDS, "1s")).unwrap();
    let output = scratch.path().join("output");
    let ended = fed(&["run", "-", "--output", output.to_str().unwrap()], &text);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert_eq!(names(&output), ["small"]);
}

fn fed(arguments: &[&str], input: &str) -> Ended {
    let mut command = meshsim(arguments);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    ended(child.wait_with_output().unwrap())
}

#[test]
fn check_lists_what_is_not_modelled_and_fails_if_asked_to() {
    let scratch = Scratch::new("check");
    let model = "apiVersion: apps/v1
kind: Deployment
metadata: {name: cart}
spec:
  selector: {matchLabels: {app: cart}}
  template: {metadata: {labels: {app: cart}}, spec: {containers: [{name: cart}]}}
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: deny-all}
";
    let file = scratch.file("model.yaml", model);
    let file = file.to_str().unwrap();
    let lenient = run(&["check", file]);
    assert_eq!(lenient.code, Some(0), "{}", lenient.err);
    assert!(lenient.out.contains("AuthorizationPolicy"), "{}", lenient.out);
    assert!(lenient.out.contains("Assumed"), "{}", lenient.out);
    assert_eq!(run(&["check", file, "--strict"]).code, Some(1));
    let json = run(&["check", file, "--json"]);
    let document: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(document["complete"], false);
    assert_eq!(document["ignoredObjects"][0]["kind"], "AuthorizationPolicy");
}

#[test]
fn what_comes_along_can_be_run_and_leaves_no_warning() {
    // Two of the folders hold figures instead of manifests.
    let is_model = |name: &&String| !["calibration", "published"].contains(&name.as_str());
    for model in names(&root().join("models")).iter().filter(is_model) {
        let checked = run(&["check", &format!("models/{model}")]);
        assert_eq!(checked.code, Some(0), "{model}: {}", checked.err);
        assert!(!checked.out.contains("Warnings"), "{model}: {}", checked.out);
    }
    for experiment in names(&root().join("experiments")) {
        let checked = run(&["check", &format!("experiments/{experiment}")]);
        assert_eq!(checked.code, Some(0), "{experiment}: {}", checked.err);
        assert!(checked.out.contains(&format!("{experiment} can be run")), "{}", checked.out);
    }
}

#[test]
fn the_path_is_shown_in_each_data_plane_with_the_names_of_the_model() {
    let path = |further: &[&str]| {
        let mut arguments = vec!["path", "models/echo", "--from", "client", "--to", "echo"];
        arguments.extend(further);
        run(&arguments)
    };
    let own = path(&[]);
    assert!(own.out.starts_with("client → echo, as the manifests say\nrow 1 of 26"), "{}", own.out);
    assert!(own.out.contains("echo-0    server-0  plaintext :8080"), "{}", own.out);

    let all = path(&["--data-plane", "all"]);
    for row in ["row 1 of 26", "row 8 of 26", "row 13 of 26", "row 15 of 26"] {
        assert!(all.out.contains(row), "{row}\n{}", all.out);
    }
    let json = path(&["--data-plane", "all", "--json"]);
    let documents: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(documents.as_array().unwrap().len(), 4);
    assert_eq!(documents[3]["hops"][2]["pod"], "waypoint-0");

    let scratch = Scratch::new("path");
    let file = scratch.path().join("path.svg");
    let drawn = path(&["--data-plane", "all", "--svg", file.to_str().unwrap()]);
    assert_eq!(drawn.code, Some(0), "{}", drawn.err);
    assert_eq!(
        names(scratch.path()),
        ["path-ambient-l4.svg", "path-ambient-l7.svg", "path-none.svg", "path-sidecar.svg"]
    );
}

#[test]
fn plots_are_redrawn_from_the_tables() {
    let scratch = Scratch::new("plot");
    let ended = run_experiment(&scratch, &experiment(&scratch, HOLDS, "1s"), &[]);
    assert_eq!(ended.code, Some(0));
    let folder = scratch.path().join("output/small");
    let plot = folder.join("latency-percentiles.svg");
    let drawn = fs::read(&plot).unwrap();
    fs::remove_file(&plot).unwrap();
    let redrawn = run(&["plot", folder.to_str().unwrap()]);
    assert_eq!(redrawn.code, Some(0), "{}", redrawn.err);
    assert_eq!(fs::read(&plot).unwrap(), drawn);
}

#[test]
fn schema_and_completions_are_whole() {
    let schema: serde_json::Value = serde_json::from_str(&run(&["schema"]).out).unwrap();
    assert_eq!(schema["oneOf"].as_array().unwrap().len(), 4);
    for shell in ["bash", "zsh", "fish"] {
        let script = run(&["completions", shell]);
        let mut lines = BufReader::new(script.out.as_bytes()).lines();
        assert!(lines.any(|line| line.unwrap().contains("meshsim")), "{shell}");
    }
}
