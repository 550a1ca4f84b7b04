//! What several test files need.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder that goes away with the test.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// An empty folder for the test called `name`.
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("meshsim-{}-{name}", std::process::id()));
        drop(fs::remove_dir_all(&path));
        fs::create_dir_all(&path).expect("a temporary folder can be made");
        Self(path)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes `text` to the file called `name`, making the folders on the way.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().expect("files are in folders"))
            .expect("folders can be made");
        fs::write(&path, text).expect("a temporary file can be written");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}
