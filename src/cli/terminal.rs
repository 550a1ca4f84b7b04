//! Writing to the terminal, or to whatever stands in its place.
//!
//! A reader that has seen enough (`| head`) is no error; a full disk is.

use std::io::{self, ErrorKind, IsTerminal, Write};

/// Writes `text` to standard output.
///
/// # Errors
///
/// If it cannot be written, unless nobody reads it any more.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Writes `text` and the end of its line to standard error, if anyone is there.
pub(super) fn tell(text: &str) {
    let mut output = io::stderr().lock();
    // There is no other place to tell that this one is gone.
    drop(output.write_all(format!("{}\n", text.trim_end_matches('\n')).as_bytes()));
}

/// Whether what is printed may hold colours.
pub(super) fn has_colors() -> bool {
    io::stdout().is_terminal() && wants_colors()
}

/// Whether what is told may hold colours.
pub(super) fn has_colored_errors() -> bool {
    io::stderr().is_terminal() && wants_colors()
}

/// `NO_COLOR` (no-color.org) turns them off if it is set to anything; so does a terminal that
/// knows no escape sequences.
fn wants_colors() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}
