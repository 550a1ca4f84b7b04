//! Folders: which files belong to a model.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::read::GzDecoder;

use super::super::yaml::{self, Node};
use super::{Manifests, NO_OBJECT};
use crate::scenario::problem::{Problem, Severity, SourceFile};

/// Deeper folders than this are taken for a loop of links.
const FOLDER_DEPTH: usize = 32;

/// How much of a file without a telling name is looked at, in bytes.
const PEEKED: u64 = 64 << 10;

const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Keys of a kustomization that leave the objects it names as they are; what generators make
/// has no part in a simulation.
const PLAIN_KUSTOMIZATION: [&str; 9] = [
    "apiVersion",
    "kind",
    "metadata",
    "resources",
    "openapi",
    "buildMetadata",
    "configMapGenerator",
    "secretGenerator",
    "generatorOptions",
];

/// Adds what `path` holds: a folder, a file, or `-` for standard input.
pub(super) fn load(path: &Path, manifests: &mut Manifests) {
    if path == Path::new("-") {
        return load_stdin(manifests);
    }
    if path.is_dir() {
        return Walk { manifests }.folder(path, 0);
    }
    match open(path) {
        Ok(file) => manifests.take_file(&file),
        Err(reason) => cannot_read(&path.display().to_string(), &reason, manifests),
    }
}

fn load_stdin(manifests: &mut Manifests) {
    let name = "standard input";
    match read_text(io::stdin().lock()) {
        Ok(text) => manifests.take_file(&SourceFile::new(name, text)),
        Err(reason) => cannot_read(name, &reason, manifests),
    }
}

fn cannot_read(name: &str, reason: &str, manifests: &mut Manifests) {
    manifests.problems.push(Problem::statement(name, reason));
}

fn open(path: &Path) -> Result<Arc<SourceFile>, String> {
    let file = fs::File::open(path).map_err(|error| unreadable(&error))?;
    Ok(SourceFile::new(path.display().to_string(), read_text(file)?))
}

fn unreadable(error: &io::Error) -> String {
    format!("cannot be read: {error}")
}

/// The text of `source`, unpacked if it is compressed with gzip.
fn read_text(source: impl Read) -> Result<String, String> {
    let bytes = read_limited(source)?;
    if bytes.starts_with(&[0x1F, 0x8B]) {
        return yaml::decode(&read_limited(GzDecoder::new(bytes.as_slice()))?);
    }
    yaml::decode(&bytes)
}

fn read_limited(source: impl Read) -> Result<Vec<u8>, String> {
    let limit = yaml::FILE_BYTES;
    let mut bytes = Vec::new();
    source.take(limit as u64 + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if bytes.len() > limit {
        return Err(format!("is larger than {} MiB; dump fewer kinds at once", limit >> 20));
    }
    Ok(bytes)
}

/// A walk through folders, in the order of names.
struct Walk<'a> {
    manifests: &'a mut Manifests,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Path, depth: usize) {
        if depth > FOLDER_DEPTH {
            return self.skip(folder, "is nested too deep");
        }
        let children = match children(folder) {
            Ok(children) => children,
            Err(error) => {
                let name = folder.display().to_string();
                return cannot_read(&name, &unreadable(&error), self.manifests);
            }
        };
        if children.iter().any(|child| child.file_name() == Some(OsStr::new("Chart.yaml"))) {
            return self.chart(folder, depth);
        }
        let is_overlay = self.is_overlay(folder, &children, depth);
        for child in children {
            if child.is_dir() {
                self.subfolder(&child, depth);
            } else if !is_overlay && !is_kustomization(&child) {
                self.file(&child);
            }
        }
    }

    fn subfolder(&mut self, folder: &Path, depth: usize) {
        if folder.is_symlink() {
            return self.skip(folder, "is a link to a folder");
        }
        self.folder(folder, depth + 1);
    }

    /// A Helm chart is a program that writes manifests, not a manifest.
    fn chart(&mut self, folder: &Path, depth: usize) {
        let folder = folder.display();
        let problem = Problem::statement(folder.to_string(), "is a Helm chart, not manifests")
            .hint(format!("render it: `helm template NAME {folder} | meshsim check -`"));
        self.unrendered(problem, depth);
    }

    /// Whether a kustomization in this folder changes the objects that it names.
    fn is_overlay(&mut self, folder: &Path, children: &[PathBuf], depth: usize) -> bool {
        let Some(kustomization) = children.iter().find(|child| is_kustomization(child)) else {
            return false;
        };
        let Ok(file) = open(kustomization) else { return false };
        let parsed = yaml::parse(&file);
        let changes = |document: &Node| {
            document.entries().iter().any(|entry| !PLAIN_KUSTOMIZATION.contains(&&*entry.key.text))
        };
        if !parsed.documents.iter().any(changes) {
            self.skip(kustomization, "only names the files of its folder");
            return false;
        }
        let folder = folder.display();
        let rule = "holds a kustomization that has yet to be built; its files are left out";
        let problem = Problem::statement(folder.to_string(), rule)
            .hint(format!("build it: `kubectl kustomize {folder} | meshsim check -`"));
        self.unrendered(problem, depth);
        true
    }

    /// What the user asked for must be readable; what lies beside it need not be.
    fn unrendered(&mut self, problem: Problem, depth: usize) {
        let problem = if depth == 0 { problem } else { problem.warning() };
        self.manifests.problems.push(problem);
    }

    fn file(&mut self, path: &Path) {
        let is_named = has_telling_name(path);
        if !is_named && !looks_like_manifest(path) {
            return self.skip(path, NO_OBJECT);
        }
        let file = match open(path) {
            Ok(file) => file,
            Err(reason) => return self.skip(path, &reason),
        };
        let parsed = yaml::parse(&file);
        let error = parsed.problems.iter().find(|problem| problem.severity == Severity::Error);
        if let Some(error) = error
            && !(is_named && file.text().contains("apiVersion"))
        {
            return self.skip(path, &error.sentence());
        }
        self.manifests.take_parsed(&file, parsed);
    }

    fn skip(&mut self, path: &Path, reason: &str) {
        self.manifests.skip(&path.display().to_string(), reason);
    }
}

/// Visible files and folders in the order of their names.
fn children(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut children = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with('.') {
            children.push(entry.path());
        }
    }
    children.sort();
    Ok(children)
}

fn is_kustomization(path: &Path) -> bool {
    path.file_name().and_then(OsStr::to_str).is_some_and(|name| KUSTOMIZATIONS.contains(&name))
}

fn has_telling_name(path: &Path) -> bool {
    matches!(path.extension().and_then(OsStr::to_str), Some("yaml" | "yml" | "json"))
        || [".yaml.gz", ".yml.gz", ".json.gz"]
            .iter()
            .any(|end| path.to_string_lossy().ends_with(end))
}

/// Whether the start of a file has the field that every object has, in whatever encoding.
fn looks_like_manifest(path: &Path) -> bool {
    let Ok(file) = fs::File::open(path) else { return false };
    let mut start = Vec::new();
    if file.take(PEEKED).read_to_end(&mut start).is_err() {
        return false;
    }
    start.retain(|&byte| byte != 0);
    String::from_utf8_lossy(&start).lines().any(|line| {
        let line = line.trim_start_matches(|c: char| !c.is_alphabetic());
        line.starts_with("apiVersion:") || line.starts_with("apiVersion\":")
    })
}
