//! Folders, files and standard input as a list of objects.
//!
//! Takes what `kubectl get -o yaml`, `helm template` and `kustomize build` emit, and what lies
//! in repositories: lists are flattened, files without objects are listed and left out, charts
//! and overlays that have yet to be rendered are named with the command that renders them.
//!
//! The text of Secrets is dropped as soon as it is read.

mod duplicates;
mod flatten;
mod object;
mod walk;

use std::path::Path;
use std::sync::Arc;

use super::yaml::{self, Parsed};
use crate::scenario::problem::{Problem, Problems, Severity, SourceFile};

pub use object::Object;

/// What was found in a model.
#[derive(Debug, Default)]
pub struct Manifests {
    /// All objects, each once, in the order of files and documents.
    pub objects: Vec<Object>,
    /// Files and documents that hold no object, each with the reason.
    pub skipped: Vec<Skipped>,
    /// Errors and warnings, sorted by place.
    pub problems: Problems,
}

/// A file, or a document of one, that is no part of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The file, and the line if only a part of it is meant: `ci/values.yaml:12`.
    pub place: String,
    /// Why: "holds no Kubernetes object".
    pub reason: String,
}

const NO_OBJECT: &str = "holds no Kubernetes object (`apiVersion` and `kind`)";

/// Reads the model at `path`: a folder, a file, or `-` for standard input.
pub fn load_model(path: &Path) -> Manifests {
    load_models(&[path])
}

/// Reads several folders and files as one model.
pub fn load_models(paths: &[&Path]) -> Manifests {
    let mut manifests = Manifests::default();
    for path in paths {
        walk::load(path, &mut manifests);
    }
    let places: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    manifests.conclude(&places.join(", "))
}

/// Reads the objects in `text`, which came from the file called `name`.
pub fn load_text(name: &str, text: &str) -> Manifests {
    let mut manifests = Manifests::default();
    manifests.take_file(&SourceFile::new(name, text));
    manifests.conclude(name)
}

impl Manifests {
    /// Adds the objects of a file that is meant to hold some.
    fn take_file(&mut self, file: &Arc<SourceFile>) {
        self.take_parsed(file, yaml::parse(file));
    }

    fn take_parsed(&mut self, file: &Arc<SourceFile>, parsed: Parsed) {
        let objects_before = self.objects.len();
        let had_errors = parsed.problems.iter().any(|problem| problem.severity == Severity::Error);
        self.take_documents(file, parsed);
        if self.objects.len() == objects_before && !had_errors {
            self.skip(file.name(), NO_OBJECT);
        }
    }

    fn take_documents(&mut self, file: &Arc<SourceFile>, parsed: Parsed) {
        self.problems.extend(parsed.problems);
        let objects_before = self.objects.len();
        let mut without_object = Vec::new();
        for document in parsed.documents {
            let place = document.location();
            if !flatten::flatten(document, &mut self.objects, &mut self.problems) {
                without_object.push(place);
            }
        }
        // A file without any object is skipped as a whole.
        if self.objects.len() > objects_before {
            for place in without_object {
                self.skip(&format!("{}:{}", file.name(), place.line()), NO_OBJECT);
            }
        }
    }

    fn skip(&mut self, place: &str, reason: &str) {
        self.skipped.push(Skipped { place: place.to_owned(), reason: reason.to_owned() });
    }

    /// The same without repetitions; `places` is where all was looked for.
    fn conclude(mut self, places: &str) -> Self {
        self.objects = duplicates::unique(self.objects, &mut self.problems);
        if self.objects.is_empty() && !self.problems.has_errors() {
            let hint = "give a folder or file with manifests, or the output of \
                        `kubectl get deploy,svc -A -o yaml`";
            self.problems.push(Problem::statement(places, NO_OBJECT).hint(hint));
        }
        self.problems.sort();
        self
    }
}

#[cfg(test)]
mod tests;
