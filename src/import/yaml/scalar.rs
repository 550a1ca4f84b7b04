//! Scalars: the text as written, and what YAML takes it for.
//!
//! Sources: YAML 1.2.2, 10.3.2 (core schema); for `yes`, `on` and `017` YAML 1.1, which Go's
//! YAML packages, and so `kubectl`, still read for booleans and octal integers.

/// How a scalar was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Without quotes; may be a number, a boolean or null.
    Plain,
    /// In quotes, or tagged `!!str`: a string whatever it says.
    Quoted,
    /// A block after `|` or `>`: a string.
    Block,
}

/// What YAML's core schema takes a scalar for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Resolved {
    /// Empty, `~` or `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer at or above zero.
    Unsigned(u64),
    /// An integer below zero.
    Signed(i64),
    /// Any other number.
    Float(f64),
    /// Everything else.
    String,
}

/// A scalar as written.
#[derive(Clone, Debug)]
pub struct Scalar {
    text: Box<str>,
    style: Style,
}

impl Scalar {
    /// The scalar `text`, written in `style`.
    pub fn new(text: impl Into<Box<str>>, style: Style) -> Self {
        Self { text: text.into(), style }
    }

    /// The text, escapes and folding undone, otherwise as written: `1.10` stays `1.10`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How it was written.
    pub fn style(&self) -> Style {
        self.style
    }

    /// What the core schema takes it for; `017` is octal, as `kubectl` reads it.
    pub fn resolved(&self) -> Resolved {
        match self.style {
            Style::Plain => resolve(&self.text),
            Style::Quoted | Style::Block => Resolved::String,
        }
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        self.style == Style::Plain && is_null(&self.text)
    }

    /// The boolean it stands for where a boolean is meant: also `yes`, `no`, `on`, `off`, quoted or not.
    pub fn as_bool(&self) -> Option<bool> {
        match self.text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "y" => Some(true),
            "false" | "no" | "off" | "n" => Some(false),
            _ => None,
        }
    }

    /// The number it stands for where a number is meant, quoted or not.
    pub fn as_number(&self) -> Option<Resolved> {
        match resolve(self.text.trim()) {
            number @ (Resolved::Unsigned(_) | Resolved::Signed(_) | Resolved::Float(_)) => {
                Some(number)
            }
            _ => None,
        }
    }
}

impl PartialEq for Scalar {
    /// Equal in meaning: `"a"` equals `a`, but `"1"` does not equal `1`.
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
            && (self.resolved() == Resolved::String) == (other.resolved() == Resolved::String)
    }
}

fn resolve(text: &str) -> Resolved {
    match text {
        "true" | "True" | "TRUE" => Resolved::Bool(true),
        "false" | "False" | "FALSE" => Resolved::Bool(false),
        _ if is_null(text) => Resolved::Null,
        _ => integer(text).or_else(|| float(text)).unwrap_or(Resolved::String),
    }
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

fn integer(text: &str) -> Option<Resolved> {
    let (negative, magnitude) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let value = unsigned(magnitude)?;
    if !negative {
        return Some(Resolved::Unsigned(value));
    }
    0_i64.checked_sub_unsigned(value).map(Resolved::Signed)
}

fn unsigned(text: &str) -> Option<u64> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', b'o' | b'O', ..] => (&text[2..], 8),
        [b'0', b'b' | b'B', ..] => (&text[2..], 2),
        [b'0', b'0'..=b'7', ..] if text.bytes().all(|b| matches!(b, b'0'..=b'7')) => (text, 8),
        _ => (text, 10),
    };
    // `from_str_radix` takes a sign of its own; `0x+1` is no number.
    let starts_with_digit = digits.starts_with(|c: char| c.is_digit(radix));
    starts_with_digit.then(|| u64::from_str_radix(digits, radix).ok()).flatten()
}

fn float(text: &str) -> Option<Resolved> {
    match text.to_ascii_lowercase().as_str() {
        ".inf" | "+.inf" => return Some(Resolved::Float(f64::INFINITY)),
        "-.inf" => return Some(Resolved::Float(f64::NEG_INFINITY)),
        ".nan" => return Some(Resolved::Float(f64::NAN)),
        _ => {}
    }
    // Rust also reads `inf` and `NaN`, which YAML does not.
    let numeric = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'))
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
    numeric.then(|| text.parse().ok()).flatten().map(Resolved::Float)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Resolved {
        Scalar::new(text, Style::Plain).resolved()
    }

    #[test]
    fn numbers_are_recognized_as_kubectl_reads_them() {
        for (text, expected) in [
            ("0", Resolved::Unsigned(0)),
            ("012", Resolved::Unsigned(10)),
            ("08", Resolved::Unsigned(8)),
            ("0x1F", Resolved::Unsigned(31)),
            ("0o17", Resolved::Unsigned(15)),
            ("-3", Resolved::Signed(-3)),
            ("+3", Resolved::Unsigned(3)),
            ("1.10", Resolved::Float(1.1)),
            (".25", Resolved::Float(0.25)),
            ("1e3", Resolved::Float(1000.0)),
            ("-.inf", Resolved::Float(f64::NEG_INFINITY)),
            ("18446744073709551616", Resolved::Float(18446744073709551616.0)),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_a_number_is_a_string() {
        for text in [
            "1.2.3", "250m", "1e3Ki", "inf", "nan", "0x", "0x+1", "--1", ".", "-", "1_000", "e3",
            "12:30",
        ] {
            assert_eq!(plain(text), Resolved::String, "{text}");
        }
    }

    #[test]
    fn yaml_1_1_booleans_are_strings_unless_a_boolean_is_meant() {
        let scalar = Scalar::new("on", Style::Plain);
        assert_eq!(scalar.resolved(), Resolved::String);
        assert_eq!(scalar.as_bool(), Some(true));
    }

    #[test]
    fn quotes_make_a_string() {
        let scalar = Scalar::new("3", Style::Quoted);
        assert_eq!(scalar.resolved(), Resolved::String);
        assert_eq!(scalar.as_number(), Some(Resolved::Unsigned(3)));
        assert_ne!(scalar, Scalar::new("3", Style::Plain));
    }
}
