//! Kubernetes quantities: `250m`, `1.5Gi`, `2`, `1e3`.
//!
//! Source: kubernetes/apimachinery, `pkg/api/resource/quantity.go` (grammar; values below the
//! smallest unit are rounded up). Beyond it an exponent may be followed by a suffix (`1e3Ki`),
//! which people write although the API server refuses it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Unexpected, Visitor};

/// Billionths in one.
const NANOS: u128 = 1_000_000_000;

/// An amount of CPU (in cores) or memory (in bytes), exact to a billionth. Never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Quantity {
    nanos: u128,
}

/// Why a text is no quantity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvalidQuantity {
    /// Not a number with one of Kubernetes' suffixes.
    Malformed(String),
    /// Below zero.
    Negative(String),
    /// Beyond 2^63, the largest that Kubernetes keeps.
    TooLarge(String),
}

impl fmt::Display for InvalidQuantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(text) => write!(
                f,
                "`{text}` is not a quantity; write a number and a Kubernetes suffix, such as `250m`, `2` or `1.5Gi`"
            ),
            Self::Negative(text) => write!(f, "`{text}` is below zero"),
            Self::TooLarge(text) => write!(f, "`{text}` is too large for a quantity"),
        }
    }
}

impl std::error::Error for InvalidQuantity {}

impl Quantity {
    /// Nothing.
    pub const ZERO: Self = Self { nanos: 0 };

    /// `millicores` thousandths of a core.
    pub const fn from_millicores(millicores: u64) -> Self {
        Self { nanos: millicores as u128 * (NANOS / 1000) }
    }

    /// `bytes` bytes.
    pub const fn from_bytes(bytes: u64) -> Self {
        Self { nanos: bytes as u128 * NANOS }
    }

    /// Thousandths of a core, rounded up; at most `u64::MAX`.
    pub const fn millicores(self) -> u64 {
        let millicores = self.nanos.div_ceil(NANOS / 1000);
        if millicores > u64::MAX as u128 { u64::MAX } else { millicores as u64 }
    }

    /// Whole bytes (or a whole count), rounded up.
    pub const fn bytes(self) -> u64 {
        self.nanos.div_ceil(NANOS) as u64
    }

    /// Whether it has a part below one byte: memory written as `128m` instead of `128Mi`.
    pub const fn is_fractional(self) -> bool {
        !self.nanos.is_multiple_of(NANOS)
    }
}

impl std::str::FromStr for Quantity {
    type Err = InvalidQuantity;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let malformed = || InvalidQuantity::Malformed(text.to_owned());
        let unsigned = text.trim().strip_prefix('+').unwrap_or(text.trim());
        let (negative, unsigned) = match unsigned.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, unsigned),
        };
        let (number, rest) = split_number(unsigned).ok_or_else(malformed)?;
        let (exponent, suffix) = split_exponent(rest);
        let (numerator, denominator) = scale_of(suffix).ok_or_else(malformed)?;
        let nanos = in_nanos(number, exponent, numerator, denominator);
        match nanos {
            Some(nanos) if negative && nanos > 0 => Err(InvalidQuantity::Negative(text.to_owned())),
            Some(nanos) if nanos / NANOS <= 1 << 63 => Ok(Self { nanos }),
            _ => Err(InvalidQuantity::TooLarge(text.to_owned())),
        }
    }
}

/// Digits with at most one point, and what follows them.
fn split_number(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at(end);
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    (digits > 0 && number.len() - digits <= 1).then_some((number, rest))
}

/// A decimal exponent, if `text` starts with one, and what follows it.
fn split_exponent(text: &str) -> (i32, &str) {
    let Some(after) = text.strip_prefix(['e', 'E']) else { return (0, text) };
    let signed = after.strip_prefix(['+', '-']).unwrap_or(after);
    let digits = signed.find(|c: char| !c.is_ascii_digit()).unwrap_or(signed.len());
    let (exponent, rest) = after.split_at(after.len() - signed.len() + digits);
    match exponent.parse() {
        Ok(exponent) => (exponent, rest),
        Err(_) => (0, text),
    }
}

/// Numerator and denominator of a suffix.
fn scale_of(suffix: &str) -> Option<(u128, u128)> {
    Some(match suffix {
        "n" => (1, 1_000_000_000),
        "u" => (1, 1_000_000),
        "m" => (1, 1000),
        "" => (1, 1),
        "k" => (1000, 1),
        "M" => (1_000_000, 1),
        "G" => (1_000_000_000, 1),
        "T" => (1_000_000_000_000, 1),
        "P" => (1_000_000_000_000_000, 1),
        "E" => (1_000_000_000_000_000_000, 1),
        "Ki" => (1 << 10, 1),
        "Mi" => (1 << 20, 1),
        "Gi" => (1 << 30, 1),
        "Ti" => (1 << 40, 1),
        "Pi" => (1 << 50, 1),
        "Ei" => (1 << 60, 1),
        _ => return None,
    })
}

/// `number × 10^exponent × numerator / denominator` in billionths, rounded up; `None` beyond `u128`.
fn in_nanos(number: &str, exponent: i32, numerator: u128, denominator: u128) -> Option<u128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = [whole, fraction].concat();
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return Some(0);
    }
    let shift = i64::from(exponent) + 9 - i64::try_from(fraction.len()).ok()?;
    let power = |exponent: i64| 10_u128.checked_pow(u32::try_from(exponent).ok()?);
    let value = match digits.parse::<u128>() {
        Ok(value) => value.checked_mul(numerator)?,
        Err(_) => return None,
    };
    if shift >= 0 {
        Some(value.checked_mul(power(shift)?)?.div_ceil(denominator))
    } else {
        // Smaller than any unit rounds up to one billionth.
        Some(
            power(-shift).and_then(|p| p.checked_mul(denominator)).map_or(1, |p| value.div_ceil(p)),
        )
    }
}

impl<'de> Deserialize<'de> for Quantity {
    /// Takes text and numbers: `cpu: 250m`, `cpu: 0.5`, `cpu: 2`.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AsWritten;

        impl Visitor<'_> for AsWritten {
            type Value = Quantity;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a quantity such as `250m`, `2` or `1.5Gi`")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Quantity, E> {
                text.parse().map_err(|invalid| match invalid {
                    InvalidQuantity::Malformed(_) => E::invalid_value(Unexpected::Str(text), &self),
                    InvalidQuantity::Negative(_) => E::custom("must be at least 0"),
                    InvalidQuantity::TooLarge(_) => E::custom("must be below 2^63"),
                })
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Quantity, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Quantity, E> {
                self.visit_str(&number.to_string())
            }

            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Quantity, E> {
                self.visit_str(&number.to_string())
            }
        }

        deserializer.deserialize_any(AsWritten)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_is_read_as_kubernetes_reads_it() {
        for (text, millicores) in [
            ("250m", 250),
            (".25", 250),
            ("0.1", 100),
            ("1", 1000),
            ("2000m", 2000),
            ("1e-1", 100),
            ("100u", 1),
            ("0", 0),
            ("+2", 2000),
        ] {
            assert_eq!(text.parse::<Quantity>().unwrap().millicores(), millicores, "{text}");
        }
    }

    #[test]
    fn memory_is_read_as_kubernetes_reads_it() {
        for (text, bytes) in [
            ("128Mi", 128 << 20),
            ("1.5Gi", 3 << 29),
            ("100M", 100_000_000),
            ("1e3", 1000),
            ("1e3Ki", 1000 << 10),
            ("1E", 1_000_000_000_000_000_000),
            ("1e0", 1),
            ("128m", 1),
            ("16Gi", 16 << 30),
        ] {
            assert_eq!(text.parse::<Quantity>().unwrap().bytes(), bytes, "{text}");
        }
        assert!("128m".parse::<Quantity>().unwrap().is_fractional());
        assert!(!"128Mi".parse::<Quantity>().unwrap().is_fractional());
    }

    #[test]
    fn nonsense_negative_and_endless_amounts_are_refused() {
        for text in ["", "m", "1.2.3", "1Zi", "1 Gi", "0x10", "1ee3", "--1", "NaN", "1e", "1mm"] {
            let read = text.parse::<Quantity>();
            assert_eq!(read, Err(InvalidQuantity::Malformed(text.to_owned())));
        }
        assert_eq!("-1".parse::<Quantity>(), Err(InvalidQuantity::Negative("-1".to_owned())));
        for text in ["1e30", "16Ei", "1e999999999", "9999999999999999999999999999999999999999"] {
            let read = text.parse::<Quantity>();
            assert_eq!(read, Err(InvalidQuantity::TooLarge(text.to_owned())));
        }
        assert_eq!("1e-999999999".parse::<Quantity>().unwrap().millicores(), 1);
    }

    #[test]
    fn numbers_of_json_and_yaml_are_quantities_too() {
        let read: Vec<Quantity> = serde_json::from_str(r#"["250m", 2, 0.5, 1e3]"#).unwrap();
        let millicores: Vec<u64> = read.into_iter().map(Quantity::millicores).collect();
        assert_eq!(millicores, [250, 2000, 500, 1_000_000]);
    }
}
