//! `meshsim run`: simulate, write, print, judge.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::{ThreadPool, ThreadPoolBuilder};
use serde_json::{Value, json};

use super::arguments::RunArguments;
use super::clock::Clock;
use super::progress::Bar;
use super::terminal::{self, print, tell};
use super::{Failure, Outcome};
use crate::experiment::result::{Estimate, ExpectationOutcome, ExperimentResult, MeasureId};
use crate::experiment::{self, Experiment, Options};
use crate::report::output_folder::OutputFolder;
use crate::report::terminal::{Style, table};
use crate::report::{self, WallClock};
use crate::scenario::problem::Problems;

const QUICK: &str = "Quick run: a tenth of the warm-up and duration, at most 3 replications. Values \
                     are rougher; expectations are judged all the same.\n";

/// Runs all experiments. What is wrong with any of them is told before the first one starts.
pub(super) fn run(arguments: &RunArguments) -> Result<Outcome, Failure> {
    let experiments = load(arguments)?;
    let targets = targets(&experiments, &arguments.output)?;
    let pool = pool(arguments)?;
    let mut results = Vec::new();
    let mut outcome = Outcome::Fine;
    for (experiment, target) in experiments.iter().zip(&targets) {
        let result = run_one(experiment, target, &pool, arguments)?;
        if !result.passed() {
            outcome = Outcome::Failed;
        }
        if arguments.json {
            results.push(machine_readable(&result, target, arguments.quick));
        } else {
            print(&summary(&result, target, arguments.quick))?;
        }
    }
    if arguments.json {
        print(&(serde_json::to_string_pretty(&json!({"experiments": results}))? + "\n"))?;
    }
    Ok(outcome)
}

fn load(arguments: &RunArguments) -> Result<Vec<Experiment>, Failure> {
    let options = Options {
        seed: arguments.seed,
        replications: arguments.replications.map(|count| count as usize),
        quick: arguments.quick,
    };
    let mut problems = Problems::default();
    let mut experiments = Vec::new();
    for path in &arguments.experiments {
        match experiment::load(path, &options) {
            Ok(experiment) => experiments.push(experiment),
            Err(found) => problems.extend(found),
        }
    }
    Ok(problems.or_ok(experiments)?)
}

/// The folder for the results of each experiment, which is seen to be writable.
fn targets(experiments: &[Experiment], output: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for experiment in experiments {
        *names.entry(&experiment.name).or_default() += 1;
    }
    if let Some((name, count)) = names.iter().find(|(_, count)| **count > 1) {
        let sentence = format!(
            "{count} experiments are called `{name}`, and their results would \
                                replace each other"
        );
        return Err(Failure::Sentence(sentence));
    }
    let target = |experiment: &Experiment| {
        let target = output.join(&experiment.name);
        // Dropped at once, it leaves nothing.
        OutputFolder::begin(&target)?;
        Ok(target)
    };
    experiments.iter().map(target).collect()
}

fn pool(arguments: &RunArguments) -> Result<ThreadPool, Failure> {
    // Zero lets rayon take one per core.
    let threads = usize::from(arguments.threads.unwrap_or(0));
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Failure::Sentence(format!("cannot start threads: {error}")))
}

fn run_one(
    experiment: &Experiment,
    target: &Path,
    pool: &ThreadPool,
    arguments: &RunArguments,
) -> Result<ExperimentResult, Failure> {
    for warning in &experiment.warnings {
        tell(&format!("warning: {}: {warning}", experiment.name));
    }
    let clock = Clock::start();
    let bar = Bar::new(&experiment.name);
    let mut result = pool.install(|| experiment.run(&|progress| bar.take(progress)));
    let wall_clock = WallClock {
        started: clock.started(),
        seconds: clock.seconds(),
        threads: pool.current_num_threads(),
    };
    bar.finish();
    result.command = command();
    if arguments.quick {
        result.assumptions.insert(0, QUICK.trim_end().to_owned());
    }
    report::write(&result, &wall_clock, target)?;
    Ok(result)
}

/// The command line, quoted as a shell needs it.
fn command() -> String {
    let quoted = |argument: String| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
        match !argument.is_empty() && argument.chars().all(is_plain) {
            true => argument,
            false => format!("'{}'", argument.replace('\'', r"'\''")),
        }
    };
    let arguments = std::env::args_os().skip(1);
    let shown = arguments.map(|argument| quoted(argument.to_string_lossy().into_owned()));
    ["meshsim".to_owned()].into_iter().chain(shown).collect::<Vec<_>>().join(" ")
}

fn summary(result: &ExperimentResult, target: &Path, quick: bool) -> String {
    let style = if terminal::has_colors() { Style::Colored } else { Style::Plain };
    let mut text = format!("{}\n", result.name);
    if !result.question.is_empty() {
        text.push_str(&format!("{}\n", result.question));
    }
    text.push_str(&format!("\n{}", table(result, style)));
    if quick {
        text.push_str(QUICK);
    }
    text.push_str(&format!("Tables, plots and report.html are in {}\n\n", target.display()));
    text
}

fn machine_readable(result: &ExperimentResult, target: &Path, quick: bool) -> Value {
    let cells = result.estimates().into_iter().map(|(cell, estimates)| {
        json!({
            "variant": cell.variant,
            "point": cell.point,
            "replications": cell.replications.len(),
            "estimates": estimates.iter().map(|(id, of)| estimate(id, of)).collect::<Vec<_>>(),
        })
    });
    json!({
        "experiment": result.name,
        "question": result.question,
        "seed": result.seed,
        "quick": quick,
        "output": target.display().to_string(),
        "passed": result.passed(),
        "expectations": result.checks.iter().map(expectation).collect::<Vec<_>>(),
        "cells": cells.collect::<Vec<_>>(),
    })
}

fn estimate(id: &MeasureId, estimate: &Estimate) -> Value {
    json!({
        "metric": id.metric.name(),
        "scope": id.scope,
        "statistic": id.statistic.name(),
        "value": estimate.value,
        "unit": id.metric.unit(),
        "ciLow": estimate.interval.map(|(low, _)| low),
        "ciHigh": estimate.interval.map(|(_, high)| high),
    })
}

fn expectation(outcome: &ExpectationOutcome) -> Value {
    json!({
        "text": outcome.text,
        "variant": outcome.variant,
        "point": outcome.point,
        "value": outcome.ours.map(|estimate| estimate.value),
        "ciLow": outcome.ours.and_then(|estimate| estimate.interval).map(|(low, _)| low),
        "ciHigh": outcome.ours.and_then(|estimate| estimate.interval).map(|(_, high)| high),
        "unit": outcome.unit(),
        "wanted": outcome.wanted.target,
        "wantedLow": outcome.wanted.low,
        "wantedHigh": outcome.wanted.high,
        "verdict": outcome.verdict.label(),
        "source": outcome.source,
    })
}
