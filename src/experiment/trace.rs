//! Recorded arrivals: one instant a line, since the start of the run.
//!
//! The first field of each line counts, so any CSV file whose first column is a time will do;
//! a first line without a time is its header, and what follows `#` is a comment. An instant is a
//! duration (`1.25s`, `300ms`) or a plain number of seconds.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use crate::scenario::problem::{Location, Problem, SourceFile, Span};
use crate::units::SimDuration;

/// Largest file, in bytes: some 30 million arrivals.
const MOST_BYTES: u64 = 256 << 20;

/// A file, and the instants in it.
pub(super) type Trace = (Arc<SourceFile>, Arc<[SimDuration]>);

/// Reads the trace at `path`.
///
/// # Errors
///
/// If it cannot be read, holds no instant, or one that is malformed or before its predecessor.
/// The problem points at the line; without one it is the end of a sentence about who names it.
pub(super) fn read(path: &Path) -> Result<Trace, Box<Problem>> {
    let name = path.display().to_string();
    let text =
        text_of(path).map_err(|reason| statement(format!("names `{name}`, which {reason}")))?;
    let file = SourceFile::new(name, text);
    let instants = instants(&file)?;
    Ok((file, instants.into()))
}

fn statement(sentence: String) -> Box<Problem> {
    Box::new(Problem::statement("", sentence))
}

fn text_of(path: &Path) -> Result<String, String> {
    let unreadable = |error| format!("cannot be read: {error}");
    let mut text = String::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(unreadable)?;
    if text.len() as u64 > MOST_BYTES {
        return Err(format!("is larger than {} MiB", MOST_BYTES >> 20));
    }
    Ok(text)
}

fn instants(file: &Arc<SourceFile>) -> Result<Vec<SimDuration>, Box<Problem>> {
    let mut instants: Vec<SimDuration> = Vec::new();
    let mut is_first = true;
    let mut start = 0;
    for line in file.text().split_inclusive('\n') {
        let written = first_field(line);
        let is_header = std::mem::take(&mut is_first) && instant(written).is_none();
        if !written.is_empty() && !is_header {
            let told = |rule: String| at(file, start, written, &rule);
            let instant = instant(written).ok_or_else(|| {
                told("a time since the start such as `1.25s`, `300ms` or `1.25`".to_owned())
            })?;
            if let Some(earlier) = instants.last().filter(|&&earlier| instant < earlier) {
                return Err(told(format!("no earlier than the line before ({earlier})")));
            }
            instants.push(instant);
        }
        start += line.len();
    }
    if instants.is_empty() {
        let sentence = format!("names `{}`, which holds no arrival", file.name());
        return Err(statement(sentence));
    }
    Ok(instants)
}

fn first_field(line: &str) -> &str {
    let line = line.split('#').next().unwrap_or_default();
    line.split([',', ';', '\t']).next().unwrap_or_default().trim().trim_matches('"')
}

fn instant(text: &str) -> Option<SimDuration> {
    if let Ok(seconds) = text.parse::<f64>() {
        return SimDuration::try_from_secs_f64(seconds).ok();
    }
    text.parse().ok()
}

fn at(file: &Arc<SourceFile>, start: usize, written: &str, rule: &str) -> Box<Problem> {
    // Files are smaller than 4 GiB.
    let span = Span { start: start as u32, end: (start + written.len()) as u32 };
    let problem = Problem::violation("", format!("`{written}`"), rule);
    Box::new(problem.at(Location { file: Arc::clone(file), span }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<u64>, String> {
        let file = SourceFile::new("arrivals.csv", text);
        let told = |problem: Box<Problem>| {
            let line = problem.location.as_ref().map_or(0, Location::line);
            format!("{line}: {}", problem.sentence())
        };
        let millis = |instant: &SimDuration| instant.as_nanos() / 1_000_000;
        instants(&file).map(|found| found.iter().map(millis).collect()).map_err(told)
    }

    #[test]
    fn seconds_durations_headers_comments_and_further_columns_are_read() {
        let text = "t_s,path\n0.5,/a\n# pause\n\n\"700ms\",/b\r\n0.7,/c\n1e0\n";
        assert_eq!(read(text).unwrap(), [500, 700, 700, 1000]);
        assert_eq!(read("0.25").unwrap(), [250]);
    }

    #[test]
    fn what_is_no_arrival_is_told_with_its_line() {
        assert_eq!(
            read("1\n2\n1.5\n").unwrap_err(),
            "3: is `1.5`, but must be no earlier than the line before (2s)"
        );
        assert!(read("1\nsoon\n").unwrap_err().starts_with("2: is `soon`, but must be a time"));
        assert!(read("1\n-2\n").unwrap_err().starts_with("2: is `-2`"));
        assert!(read("t\n\n").unwrap_err().ends_with("holds no arrival"));
    }
}
