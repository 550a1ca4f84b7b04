//! The files an experiment was made of, and fingerprints of what was in them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::result::Input;
use crate::scenario::problem::SourceFile;

/// Every file once, in the order of their names.
pub(super) fn inputs<'a>(files: impl Iterator<Item = &'a Arc<SourceFile>>) -> Vec<Input> {
    let by_name: BTreeMap<&str, &str> = files.map(|file| (file.name(), file.text())).collect();
    let input = |(name, text): (&str, &str)| Input {
        path: name.to_owned(),
        digest: format!("fnv1a64:{:016x}", fnv1a(text.as_bytes())),
    };
    by_name.into_iter().map(input).collect()
}

/// FNV-1a, 64 bits: tells files apart that differ by accident, not those that someone made
/// alike. Source: draft-eastlake-fnv (IETF), section 6.
fn fnv1a(bytes: &[u8]) -> u64 {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    bytes.iter().fold(OFFSET_BASIS, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of the draft, appendix C.
    #[test]
    fn fingerprints_are_those_of_fnv1a() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_file_that_several_objects_come_from_counts_once() {
        let files =
            [SourceFile::new("b", "1"), SourceFile::new("a", "2"), SourceFile::new("b", "1")];
        let names: Vec<_> = inputs(files.iter()).into_iter().map(|input| input.path).collect();
        assert_eq!(names, ["a", "b"]);
    }
}
