//! Numbers as the CSV files show them: short, and the same everywhere.

use serde::Serializer;

/// Significant digits of numbers that are not whole.
const DIGITS: usize = 6;

/// Whole numbers up to 2^53 in full; others rounded to six significant digits, in the
/// shortest form that reads back as the rounded number. Empty for what is no number.
pub fn text(value: f64) -> String {
    const EXACT: f64 = (1_u64 << 53) as f64;
    if !value.is_finite() {
        return String::new();
    }
    let rounded = if value.fract() == 0.0 && value.abs() <= EXACT { value } else { round(value) };
    // Adding zero turns -0 into 0.
    format!("{}", rounded + 0.0)
}

fn round(value: f64) -> f64 {
    format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value)
}

/// For `#[serde(serialize_with)]`.
pub fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&text(*value))
}

/// For `#[serde(serialize_with)]`: none is an empty field.
pub fn serialize_option<S: Serializer>(
    value: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&value.map(text).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::text;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_short_and_whole_numbers_exact() {
        for (value, shown) in [
            (0.0, "0"),
            (-0.0, "0"),
            (0.1 + 0.2, "0.3"),
            (1.0 / 3.0, "0.333333"),
            (2.0 / 3.0 * 1e-9, "0.000000000666667"),
            (1_234_567_890.0, "1234567890"),
            (1_234_567.5, "1234570"),
            (f64::NAN, ""),
            (f64::INFINITY, ""),
        ] {
            assert_eq!(text(value), shown, "{value:e}");
        }
    }

    proptest! {
        /// Reading a number back loses less than one part in 10^5, and writing it again nothing.
        #[test]
        fn a_number_survives_being_written(value in -1e12..1e12_f64) {
            let shown = text(value);
            let back: f64 = shown.parse().unwrap();
            prop_assert!((back - value).abs() <= 1e-5 * value.abs());
            prop_assert_eq!(text(back), shown);
        }
    }
}
