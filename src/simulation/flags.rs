//! Envoy's response flags as bits.
//!
//! Source: Envoy 1.40, docs `configuration/observability/access_log/usage`, RESPONSE_FLAGS.

/// A set of response flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Flags(pub(crate) u16);

/// No healthy upstream.
pub(crate) const UH: u16 = 1;

const NAMES: [(u16, &str); 1] = [(UH, "UH")];

impl std::fmt::Display for Flags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut separator = "";
        for (bit, name) in NAMES {
            if self.0 & bit != 0 {
                write!(f, "{separator}{name}")?;
                separator = ",";
            }
        }
        Ok(())
    }
}
