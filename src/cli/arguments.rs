//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// Predicts what a Kubernetes service mesh does before it runs: latency, CPU, errors.
#[derive(Debug, Parser)]
#[command(name = "meshsim", version, max_term_width = 100, arg_required_else_help = true)]
#[command(
    after_help = "Exit status: 0 fine, 1 an expectation or a finding failed, 2 the input is \
                        wrong or cannot be read."
)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Simulate experiments, write tables and plots, check their expectations
    Run(RunArguments),
    /// Tell what of a model is understood, what is not, and what is assumed instead
    Check(CheckArguments),
    /// Show the path of a request, hop by hop: who sees, decides, encrypts and measures
    Path(PathArguments),
    /// Compare the simulator with theory and with measurements: every claim, ours, the error
    Validate(ValidateArguments),
    /// Draw the plots of a run again from its CSV files
    Plot {
        /// The folder with the CSV files: output/EXPERIMENT
        folder: PathBuf,
    },
    /// Print the JSON Schema of our kinds, for editors
    Schema,
    /// Print completions for a shell
    Completions {
        /// Which shell
        shell: Shell,
    },
}

/// What to simulate, and how otherwise than the files say.
#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// Folders with an experiment.yaml, or files; `-` is standard input
    #[arg(required = true, value_name = "EXPERIMENT")]
    pub(super) experiments: Vec<PathBuf>,
    /// Where results go, each experiment into a folder of its name
    #[arg(long, value_name = "DIR", default_value = "output")]
    pub(super) output: PathBuf,
    /// Threads that simulate; results do not depend on it [default: one per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,
    /// Seed of all random streams [default: the experiment's]
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Exactly so many replications [default: the experiment's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) replications: Option<u32>,
    /// A tenth of the duration and at most 3 replications; expectations still count
    #[arg(long)]
    pub(super) quick: bool,
    /// Print results and verdicts as JSON instead of a table
    #[arg(long)]
    pub(super) json: bool,
}

/// What to compare, and how to tell.
#[derive(Debug, Args)]
pub(super) struct ValidateArguments {
    /// Only claims of this kind; may be given several times
    #[arg(long, value_enum, value_name = "KIND")]
    pub(super) kind: Vec<KindArgument>,
    /// A tenth of the simulated time, and limits to match
    #[arg(long)]
    pub(super) quick: bool,
    /// Print JSON instead of a table
    #[arg(long)]
    pub(super) json: bool,
    /// Write the page about all claims
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "docs/validation.md",
        conflicts_with_all = ["quick", "kind"]
    )]
    pub(super) markdown: Option<PathBuf>,
}

/// Where references come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum KindArgument {
    /// Formulas of queueing theory
    Theory,
    /// A real Envoy
    Envoy,
    /// The EKS study
    Seed,
    /// Published measurements
    Published,
    /// Your own measurements
    User,
}

/// What to look at, and how strictly.
#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// Folders or files with manifests, taken together; `-` is standard input
    #[arg(required = true, value_name = "MODEL")]
    pub(super) models: Vec<PathBuf>,
    /// Fail if anything that matters is not modelled, or a warning is left
    #[arg(long)]
    pub(super) strict: bool,
    /// Print JSON instead of tables
    #[arg(long)]
    pub(super) json: bool,
}

/// Whose path to show, and how.
#[derive(Debug, Args)]
pub(super) struct PathArguments {
    /// Folder or file with manifests, or with an experiment; `-` is standard input
    #[arg(value_name = "MODEL")]
    pub(super) model: PathBuf,
    /// Who calls: a workload (`client`, `shop/client`), a pod, or `external`
    #[arg(long, value_name = "WORKLOAD")]
    pub(super) from: String,
    /// Whom: a URL, a Service (`echo`, `echo.shop:8080`), or a workload or pod by its IP
    #[arg(long, value_name = "TARGET")]
    pub(super) to: String,
    /// The gateway in between [default: none; for clients outside the first of the model]
    #[arg(long, value_name = "GATEWAY")]
    pub(super) via: Option<String>,
    /// The data plane to show, instead of the model's own
    #[arg(long, value_enum, value_name = "PLANE", conflicts_with = "variant")]
    pub(super) data_plane: Option<Plane>,
    /// The variant of the experiment to show
    #[arg(long, value_name = "NAME")]
    pub(super) variant: Option<String>,
    /// Print JSON instead of tables
    #[arg(long)]
    pub(super) json: bool,
    /// Draw it into this file; with several paths, one file each. `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub(super) svg: Option<PathBuf>,
}

/// A data plane, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Plane {
    /// No mesh
    None,
    /// Ambient without waypoints
    AmbientL4,
    /// An Envoy in each pod
    Sidecar,
    /// Ambient with waypoints for Services
    AmbientL7,
    /// All four
    All,
}
