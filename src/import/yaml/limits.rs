//! How much of a file is taken in before it is refused.
//!
//! Real dumps reach a few hundred megabytes and nest some 40 levels (schemas inside custom
//! resource definitions); anything far beyond is a mistake or an attack.

/// Longest file, in bytes.
pub(crate) const FILE_BYTES: usize = 512 << 20;

/// Deepest nesting of mappings and sequences, aliases expanded.
pub(super) const DEPTH: usize = 200;

/// Most nodes that aliases and merge keys may add to one file.
pub(super) const ALIASED_NODES: usize = 200_000;

/// Most bytes of text that aliases and merge keys may add to one file.
pub(super) const ALIASED_BYTES: usize = 32 << 20;

/// Longest scalar, in bytes: a ConfigMap holds at most 1 MiB, so this is no object of a cluster.
pub(super) const SCALAR_BYTES: usize = 16 << 20;

/// Longest key written without `?`, in characters.
pub(super) const KEY_CHARACTERS: usize = 4096;

/// Most problems reported for one file.
pub(super) const PROBLEMS: usize = 100;
