//! Where an experiment lies, and what its file names mean.

use std::path::{Component, Path, PathBuf};

use crate::import::manifests::Object;

/// The folder of the file that `object` stands in; empty for standard input.
pub(super) fn folder_of(object: &Object) -> PathBuf {
    Path::new(object.node.file().name()).parent().unwrap_or(Path::new("")).to_owned()
}

/// The path without `FOLDER/..`, for messages, as long as that leads to the same place: a folder
/// may be a link.
pub(super) fn shortest(path: PathBuf) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        let goes_back = part == Component::ParentDir
            && matches!(short.components().next_back(), Some(Component::Normal(_)));
        if goes_back {
            short.pop();
        } else {
            short.push(part);
        }
    }
    let is_same = match (short.canonicalize(), path.canonicalize()) {
        (Ok(short), Ok(path)) => short == path,
        _ => false,
    };
    if is_same && !short.as_os_str().is_empty() { short } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detours_are_left_out_where_the_place_is_the_same() {
        let shown = |path: &str| shortest(path.into()).display().to_string();
        assert_eq!(shown("src/cli/../../models/echo"), "models/echo");
        assert_eq!(shown("./src/../Cargo.toml"), "./Cargo.toml");
        assert_eq!(shown("src/../no-such-file"), "src/../no-such-file");
        assert_eq!(shown("src/.."), "src/..");
    }
}
