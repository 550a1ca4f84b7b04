//! The wall clock, which only the manifest and the progress bar look at.

use std::time::{Duration, UNIX_EPOCH};

/// A stopwatch that knows when it was started.
pub(super) struct Clock {
    started: Duration,
}

#[expect(clippy::disallowed_methods, reason = "the manifest says when an experiment was run")]
fn since_epoch() -> Duration {
    // A clock before 1970 is a clock that is not set.
    std::time::SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

impl Clock {
    /// Starts it.
    pub(super) fn start() -> Self {
        Self { started: since_epoch() }
    }

    /// When it was started, as RFC 3339 in UTC.
    pub(super) fn started(&self) -> String {
        rfc_3339(self.started.as_secs())
    }

    /// Seconds since then.
    pub(super) fn seconds(&self) -> f64 {
        since_epoch().saturating_sub(self.started).as_secs_f64()
    }
}

/// `2026-11-30T08:01:58Z` for seconds since 1970.
///
/// Source of the calendar: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms",
/// `civil_from_days`.
fn rfc_3339(seconds: u64) -> String {
    const DAYS_TO_1970_FROM_MARCH_0000: u64 = 719_468;
    const DAYS_OF_400_YEARS: u64 = 146_097;
    let (days, time) = (seconds / 86_400 + DAYS_TO_1970_FROM_MARCH_0000, seconds % 86_400);
    let (era, day_of_era) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Months count from March, so that the leap day is the last of the year.
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_written_as_rfc_3339() {
        for (seconds, shown) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_796_025_718, "2026-11-30T08:01:58Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(rfc_3339(seconds), shown);
        }
    }
}
