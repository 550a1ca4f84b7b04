//! A folder that appears complete or not at all.
//!
//! Files are written into a hidden sibling and the sibling is renamed at the end, so a run
//! that is killed leaves the previous output, or none. What it leaves behind is cleared by
//! the next run.
//!
//! A folder cannot replace another in one step everywhere, so the old one is first set
//! aside; a run killed between the two renames is mended by the next [`OutputFolder::begin`].

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::ReportError;

/// Held for as long as a run writes; the system releases it when the process ends.
const LOCK: &str = ".lock";

/// An output folder being written. Dropped without [`OutputFolder::commit`], it leaves nothing.
#[derive(Debug)]
pub struct OutputFolder {
    target: PathBuf,
    partial: PathBuf,
    set_aside: PathBuf,
    committed: bool,
    /// Locked for as long as it is open.
    _lock: File,
}

/// The file by which a folder of results is known.
const MANIFEST: &str = "run.json";

impl OutputFolder {
    /// Starts to write what will stand at `target`, whose parents are created if missing.
    ///
    /// # Errors
    ///
    /// [`ReportError::Busy`] if another process is writing the same target;
    /// [`ReportError::Io`] if the file system refuses, or if there is something at `target` that no
    /// run of ours has written: it would be lost.
    pub fn begin(target: &Path) -> Result<Self, ReportError> {
        refuse_what_is_not_ours(target)?;
        let partial = hidden_sibling(target, "partial")?;
        let set_aside = hidden_sibling(target, "previous")?;
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(|error| ReportError::io(parent, error))?;
        }
        clear_stale(&partial, target)?;
        fs::create_dir(&partial).map_err(|error| busy_or_io(error, target))?;
        let lock = lock(&partial).map_err(|error| ReportError::io(&partial, error))?;
        mend(target, &set_aside).map_err(|error| ReportError::io(&set_aside, error))?;
        Ok(Self { target: target.to_owned(), partial, set_aside, committed: false, _lock: lock })
    }

    /// Where to write the files.
    pub fn path(&self) -> &Path {
        &self.partial
    }

    /// Puts the folder in place of the previous one.
    ///
    /// # Errors
    ///
    /// [`ReportError::Io`] if the file system refuses; the previous output then stays.
    pub fn commit(mut self) -> Result<(), ReportError> {
        self.swap().map_err(|error| ReportError::io(&self.target, error))?;
        self.committed = true;
        Ok(())
    }

    fn swap(&self) -> io::Result<()> {
        let replaces = self.target.exists();
        if replaces {
            fs::rename(&self.target, &self.set_aside)?;
        }
        if let Err(error) = fs::rename(&self.partial, &self.target) {
            mend(&self.target, &self.set_aside)?;
            return Err(error);
        }
        // The lock goes last: without it another run would take the folder for left over.
        fs::remove_file(self.target.join(LOCK))?;
        if replaces { fs::remove_dir_all(&self.set_aside) } else { Ok(()) }
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        if !self.committed {
            // A failure to clear up must not hide the error that led here; the next run
            // clears again.
            drop(fs::remove_dir_all(&self.partial));
        }
    }
}

/// Writes a file so that it is complete or, if that fails, unchanged.
///
/// # Errors
///
/// [`ReportError::Io`] if the file system refuses.
pub fn replace_file(path: &Path, contents: &[u8]) -> Result<(), ReportError> {
    let partial = hidden_sibling(path, "partial")?;
    let written = fs::write(&partial, contents).and_then(|()| fs::rename(&partial, path));
    written.map_err(|error| {
        drop(fs::remove_file(&partial));
        ReportError::io(path, error)
    })
}

/// `.NAME.suffix` beside `path`.
fn hidden_sibling(path: &Path, suffix: &str) -> Result<PathBuf, ReportError> {
    let no_name = || io::Error::new(ErrorKind::InvalidInput, "not the name of a file or folder");
    let name = path.file_name().ok_or_else(|| ReportError::io(path, no_name()))?;
    let mut hidden = OsString::from(".");
    hidden.push(name);
    hidden.push(".");
    hidden.push(suffix);
    Ok(path.with_file_name(hidden))
}

/// Lets nothing be replaced but an empty folder and one that holds the manifest of a run.
fn refuse_what_is_not_ours(target: &Path) -> Result<(), ReportError> {
    let refuse = |why: io::Error| Err(ReportError::io(target, why));
    match fs::symlink_metadata(target) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return refuse(error),
        Ok(found) if !found.is_dir() => return refuse(ErrorKind::NotADirectory.into()),
        Ok(_) => {}
    }
    let mut entries = fs::read_dir(target).map_err(|error| ReportError::io(target, error))?;
    if target.join(MANIFEST).is_file() || entries.next().is_none() {
        return Ok(());
    }
    refuse(io::Error::new(
        ErrorKind::AlreadyExists,
        "holds files that are no results of a run (it has no run.json) and would be replaced; \
         choose another --output",
    ))
}

/// Removes what a killed run left, unless its process still lives.
fn clear_stale(partial: &Path, target: &Path) -> Result<(), ReportError> {
    match File::open(partial.join(LOCK)).map(|lock| lock.try_lock()) {
        Ok(Err(TryLockError::WouldBlock)) => return Err(ReportError::Busy(target.to_owned())),
        Ok(Err(TryLockError::Error(error))) => return Err(ReportError::io(partial, error)),
        Ok(Ok(())) | Err(_) => {}
    }
    match fs::remove_dir_all(partial) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(ReportError::io(partial, error)),
        _ => Ok(()),
    }
}

fn lock(partial: &Path) -> io::Result<File> {
    let lock = File::create(partial.join(LOCK))?;
    lock.try_lock()?;
    Ok(lock)
}

/// Two runs that start at once race for the folder; one of them loses.
fn busy_or_io(error: io::Error, target: &Path) -> ReportError {
    match error.kind() {
        ErrorKind::AlreadyExists => ReportError::Busy(target.to_owned()),
        _ => ReportError::io(target, error),
    }
}

/// Undoes half a swap: what was set aside goes back, or goes away if it has a successor.
fn mend(target: &Path, set_aside: &Path) -> io::Result<()> {
    match (set_aside.exists(), target.exists()) {
        (false, _) => Ok(()),
        (true, true) => fs::remove_dir_all(set_aside),
        (true, false) => fs::rename(set_aside, target),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty folder that goes away with the test.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("meshsim-{}-{name}", std::process::id()));
            drop(fs::remove_dir_all(&path));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn entries(&self) -> Vec<OsString> {
            let mut names: Vec<_> =
                fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        }

        fn write_output(&self, text: &str) {
            let folder = OutputFolder::begin(&self.0.join("out")).unwrap();
            fs::write(folder.path().join(MANIFEST), text).unwrap();
            folder.commit().unwrap();
        }

        fn output(&self) -> String {
            fs::read_to_string(self.0.join("out").join(MANIFEST)).unwrap()
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            drop(fs::remove_dir_all(&self.0));
        }
    }

    #[test]
    fn a_commit_replaces_the_whole_folder_and_leaves_nothing_else() {
        let scratch = Scratch::new("commit");
        scratch.write_output("first");
        fs::write(scratch.0.join("out/of-the-first.csv"), "").unwrap();
        scratch.write_output("second");
        assert_eq!(scratch.output(), "second");
        assert_eq!(scratch.entries(), ["out"]);
        assert_eq!(fs::read_dir(scratch.0.join("out")).unwrap().count(), 1);
    }

    #[test]
    fn an_abandoned_write_leaves_the_previous_output() {
        let scratch = Scratch::new("abandon");
        scratch.write_output("first");
        let folder = OutputFolder::begin(&scratch.0.join("out")).unwrap();
        fs::write(folder.path().join("a.csv"), "half").unwrap();
        drop(folder);
        assert_eq!(scratch.output(), "first");
        assert_eq!(scratch.entries(), ["out"]);
    }

    #[test]
    fn what_a_killed_run_left_is_cleared_by_the_next() {
        let scratch = Scratch::new("stale");
        fs::create_dir(scratch.0.join(".out.partial")).unwrap();
        fs::write(scratch.0.join(".out.partial/half.csv"), "").unwrap();
        fs::write(scratch.0.join(".out.partial").join(LOCK), "").unwrap();
        scratch.write_output("whole");
        assert_eq!(scratch.entries(), ["out"]);
        assert_eq!(fs::read_dir(scratch.0.join("out")).unwrap().count(), 1);
    }

    #[test]
    fn a_run_killed_between_the_renames_loses_no_output() {
        let scratch = Scratch::new("swap");
        scratch.write_output("first");
        fs::rename(scratch.0.join("out"), scratch.0.join(".out.previous")).unwrap();
        drop(OutputFolder::begin(&scratch.0.join("out")).unwrap());
        assert_eq!(scratch.output(), "first");
        assert_eq!(scratch.entries(), ["out"]);
    }

    #[test]
    fn a_folder_that_no_run_has_written_is_not_replaced() {
        let scratch = Scratch::new("foreign");
        fs::create_dir(scratch.0.join("out")).unwrap();
        drop(OutputFolder::begin(&scratch.0.join("out")).expect("an empty folder may be replaced"));
        fs::write(scratch.0.join("out/experiment.yaml"), "mine").unwrap();
        let refused = OutputFolder::begin(&scratch.0.join("out")).expect_err("it would be lost");
        assert!(refused.to_string().contains("choose another --output"), "{refused}");
        assert_eq!(scratch.entries(), ["out"]);
    }

    #[test]
    fn a_second_writer_of_the_same_folder_is_refused() {
        let scratch = Scratch::new("busy");
        let _first = OutputFolder::begin(&scratch.0.join("out")).unwrap();
        let second = OutputFolder::begin(&scratch.0.join("out"));
        assert!(matches!(second, Err(ReportError::Busy(_))), "{second:?}");
    }
}
