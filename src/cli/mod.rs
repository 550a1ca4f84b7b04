//! Commands: what a person or a script types, sees and gets back.
//!
//! Results go to standard output, progress and errors to standard error. Exit status: 0 fine,
//! 1 an expectation or a finding failed, 2 the input is wrong or cannot be read.

mod arguments;
mod check;
mod clock;
mod path;
mod places;
mod progress;
mod run;
mod terminal;
mod validate;

use std::io;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use crate::report::{self, ReportError};
use crate::scenario::problem::{Problem, Problems};
use crate::scenario::spec::schema;
use arguments::{Arguments, Command};

/// How a command ended that could do its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// Nothing to complain of.
    Fine,
    /// An expectation or a finding failed.
    Failed,
}

/// Why a command could not do its work.
#[derive(Debug)]
enum Failure {
    /// What is wrong with the files that were read.
    Problems(Problems),
    /// What went wrong with what was to be written, or asked for on the command line.
    Sentence(String),
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Self::Problems(problems)
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        Self::Sentence(error.to_string())
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::Sentence(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Sentence(format!("cannot write to standard output: {error}"))
    }
}

impl Failure {
    /// A problem with an argument.
    fn argument(argument: &str, value: &str, sentence: &str) -> Self {
        let mut problem = Problem::statement(argument, sentence);
        problem.value = Some(format!("`{value}`"));
        Self::Sentence(problem.sentence())
    }
}

/// Runs the command line; the exit status of the program.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Nobody is left to tell if that fails.
            drop(error.print());
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match execute(arguments.command) {
        Ok(Outcome::Fine) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::from(1),
        Err(failure) => {
            complain(&failure);
            ExitCode::from(2)
        }
    }
}

fn execute(command: Command) -> Result<Outcome, Failure> {
    match command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::Path(arguments) => path::path(&arguments),
        Command::Validate(arguments) => validate::validate(&arguments),
        Command::Plot { folder } => {
            let plots = report::plot::redraw(&folder)?;
            let line = |plot: &report::plot::Plot| {
                format!("{}\n", folder.join(format!("{}.svg", plot.name)).display())
            };
            terminal::print(&plots.iter().map(line).collect::<String>())?;
            Ok(Outcome::Fine)
        }
        Command::Schema => {
            terminal::print(&(serde_json::to_string_pretty(&schema())? + "\n"))?;
            Ok(Outcome::Fine)
        }
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "meshsim", &mut script);
            terminal::print(&String::from_utf8_lossy(&script))?;
            Ok(Outcome::Fine)
        }
    }
}

fn complain(failure: &Failure) {
    let text = match failure {
        Failure::Problems(problems) => problems.render(terminal::has_colored_errors()),
        Failure::Sentence(sentence) => format!("error: {sentence}"),
    };
    terminal::tell(&text);
}
