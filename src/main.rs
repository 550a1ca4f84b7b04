//! Hands the arguments to [`meshsim::cli`] and turns the outcome into an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    meshsim::cli::main()
}
