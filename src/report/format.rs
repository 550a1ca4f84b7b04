//! Numbers for people: as many digits as their uncertainty supports.

use crate::experiment::result::{Estimate, ExpectationOutcome, Wanted};

/// `1.98 ± 0.03`: the half width to one significant digit (two below 3), the value to the
/// same place. Without an interval, or if all replications agree, the value alone.
pub(super) fn with_half_width(estimate: &Estimate) -> String {
    let value = value(estimate);
    half_width(estimate)
        .map_or_else(|| value.clone(), |half_width| format!("{value} ± {half_width}"))
}

/// The value of [`with_half_width`] alone.
pub(super) fn value(estimate: &Estimate) -> String {
    with_decimals(estimate.value, decimals(estimate))
}

/// The half width of [`with_half_width`] alone, if it shows one.
pub(super) fn half_width(estimate: &Estimate) -> Option<String> {
    let half_width = estimate.half_width().filter(|half_width| *half_width > 0.0)?;
    Some(with_decimals(half_width, decimals(estimate)))
}

/// A number without uncertainty, such as a limit, to four significant digits.
pub(super) fn plain(value: f64) -> String {
    let places = significant_places(value, 4);
    let text = with_decimals(value, places);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// Which values are right: `1.98 ± 0.2`, `at most 1.25`, `3 to 5`.
pub(super) fn wanted(wanted: &Wanted) -> String {
    match (wanted.target, wanted.low, wanted.high) {
        (Some(target), Some(low), Some(high)) if is_middle(target, low, high) => {
            format!("{} ± {}", plain(target), plain(high - target))
        }
        (Some(target), _, _) => format!("{} ({})", plain(target), limits(wanted)),
        (None, _, _) => limits(wanted),
    }
}

fn is_middle(target: f64, low: f64, high: f64) -> bool {
    ((high - target) - (target - low)).abs() <= 1e-9 * (high - low).abs()
}

fn limits(wanted: &Wanted) -> String {
    match (wanted.low, wanted.high) {
        (Some(low), Some(high)) => format!("{} to {}", plain(low), plain(high)),
        (Some(low), None) => format!("at least {}", plain(low)),
        (None, Some(high)) => format!("at most {}", plain(high)),
        (None, None) => "anything".to_owned(),
    }
}

/// What came out, with its unit: `2.05 ± 0.03 ms`, or `not measured`.
pub(super) fn ours(check: &ExpectationOutcome) -> String {
    let unit = match check.unit() {
        "1" | "fraction" | "count" => String::new(),
        unit => format!(" {unit}"),
    };
    let shown = check.ours.map(|ours| with_half_width(&ours) + &unit);
    shown.unwrap_or_else(|| "not measured".to_owned())
}

/// How far off the published value we are, with its sign: `+3.5 %`; empty without one.
pub(super) fn error(check: &ExpectationOutcome) -> String {
    let relative = |ours: f64, target: f64| 100.0 * (ours - target) / target.abs();
    let error = check.ours.zip(check.wanted.target).map(|(o, target)| relative(o.value, target));
    match error.filter(|error| error.is_finite()) {
        Some(error) if error < 0.0 => format!("{} %", with_decimals(error, 1)),
        Some(error) => format!("+{} %", with_decimals(error, 1)),
        None => String::new(),
    }
}

const MOST_DECIMALS: usize = 4;

fn decimals(estimate: &Estimate) -> usize {
    match estimate.half_width() {
        Some(half_width) if half_width > 0.0 => {
            let leading = half_width / 10_f64.powf(half_width.log10().floor());
            significant_places(half_width, if leading < 2.95 { 2 } else { 1 })
        }
        _ if estimate.value.fract() == 0.0 => 0,
        _ => significant_places(estimate.value, 3),
    }
}

/// Decimal places that show this many significant digits of `value`.
fn significant_places(value: f64, digits: i32) -> usize {
    let magnitude = value.abs().max(1e-9).log10().floor() as i32;
    (digits - 1 - magnitude).clamp(0, MOST_DECIMALS as i32) as usize
}

/// `value` with this many decimals and its thousands set apart: `12,500`, `−0.25`.
pub(super) fn with_decimals(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let is_zero = text.chars().all(|letter| matches!(letter, '0' | '.'));
    let sign = if value < 0.0 && !is_zero { "−" } else { "" };
    format!("{sign}{grouped}{fraction}")
}

/// What a sweep point is called: `load.rate = 200, load.connections = 16`.
pub(super) fn point_label(point: &str) -> String {
    point.replace(';', ", ").replace('=', " = ")
}

/// `text` for XML and HTML, in content and in quoted attributes.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(value: f64, half_width: f64) -> Estimate {
        let interval = Some((value - half_width, value + half_width));
        Estimate { value, interval, replications: 10 }
    }

    #[test]
    fn digits_end_where_the_uncertainty_begins() {
        for (value, half_width, shown) in [
            (1.98413, 0.0312, "1.98 ± 0.03"),
            (1.98413, 0.0126, "1.984 ± 0.013"),
            (1.98413, 0.28, "1.98 ± 0.28"),
            (12_345.6, 48.0, "12,346 ± 48"),
            (0.000_001, 0.000_000_5, "0.0000 ± 0.0000"),
            (37.0, 0.0, "37"),
            (0.04567, 0.0, "0.0457"),
        ] {
            assert_eq!(with_half_width(&estimate(value, half_width)), shown);
        }
    }

    #[test]
    fn without_an_interval_three_digits_are_shown() {
        let alone = |value| Estimate { value, interval: None, replications: 1 };
        assert_eq!(with_half_width(&alone(2.34567)), "2.35");
        assert_eq!(with_half_width(&alone(30_000.0)), "30,000");
        assert_eq!(with_half_width(&alone(-0.00001)), "0.0000");
    }

    #[test]
    fn a_wanted_value_reads_as_a_sentence() {
        let range = |low, high| Wanted { target: None, low, high };
        for (value, shown) in [
            (Wanted::within(1.98, 0.2), "1.98 ± 0.2"),
            (Wanted { target: Some(4.0), low: Some(3.0), high: None }, "4 (at least 3)"),
            (range(None, Some(1.25)), "at most 1.25"),
            (range(Some(3.0), Some(5.0)), "3 to 5"),
        ] {
            assert_eq!(wanted(&value), shown);
        }
    }

    #[test]
    fn plain_numbers_lose_their_trailing_zeros() {
        assert_eq!(
            [plain(1.98), plain(20.0), plain(0.1 + 0.2), plain(0.0)],
            ["1.98", "20", "0.3", "0"]
        );
    }
}
