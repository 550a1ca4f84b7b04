//! Files of durations, one a line: measured service times, recorded arrivals.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::scenario::problem::Location;
use crate::units::SimDuration;

/// The largest file read: some ten million durations.
const MOST_BYTES: u64 = 256 << 20;

/// Reads the durations in `file`, which is named relative to the file that `named_at` is in.
/// Empty lines and lines that start with `#` are left out.
///
/// # Errors
///
/// Why the file cannot be read, or which line is no duration.
pub fn read_durations(named_at: &Location, file: &str) -> Result<Arc<[SimDuration]>, String> {
    let folder = Path::new(named_at.file.name()).parent().unwrap_or(Path::new(""));
    let path = folder.join(file);
    let found = fs::metadata(&path).map_err(|error| error.to_string())?;
    if !found.is_file() {
        return Err("is no regular file".to_owned());
    }
    if found.len() > MOST_BYTES {
        return Err(format!("is larger than {} MiB", MOST_BYTES >> 20));
    }
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    parse(&text)
}

fn parse(text: &str) -> Result<Arc<[SimDuration]>, String> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| line.parse().map_err(|invalid| format!("line {number}: {invalid}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_empty_lines_are_left_out_and_a_slip_is_named_by_its_line() {
        let milliseconds = SimDuration::from_millis;
        let read = parse("# of 2026-10\n1ms\n\n 2.5ms \r\n").unwrap();
        assert_eq!(*read, [milliseconds(1), SimDuration::from_micros(2500)]);
        assert!(parse("1ms\n2\n").unwrap_err().starts_with("line 2: "));
    }
}
