//! YAML and JSON text as a tree that remembers where everything stood.
//!
//! Built on the events of `granit-parser` (the parser under `serde-saphyr`), not on
//! `serde_saphyr::Spanned`: serde hands over resolved values, so a version label `1.10`, `012` or
//! `on` has lost its spelling, and only the first error of a stream is ever seen. Events keep the
//! spelling, give spans of keys too, and the parser resumes at the next `---` after an error.
//!
//! On top of YAML 1.2 this accepts what people have: several JSON objects in a row, UTF-16 from
//! shell redirection, a byte-order mark, `<<` merge keys, Helm's `NOTES:` tail. What would blow up
//! (nesting, aliases of aliases, huge files) is refused with a sentence.
//!
//! Duplicate keys: the last wins, with a warning, as API clients do.

mod build;
mod encoding;
mod limits;
mod node;
mod parse;
mod path;
mod read;
mod scalar;
mod template;

pub use encoding::decode;
pub(crate) use limits::FILE_BYTES;
pub use node::{Entry, Key, Node, Value};
pub use parse::{Parsed, parse};
pub use path::{Segment, find, locate, show_path, split_path};
pub use read::{Reading, read_value};
pub use scalar::{Resolved, Scalar, Style};
pub(crate) use template::{RENDER_HINT, is_templated};
