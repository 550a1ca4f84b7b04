//! What was understood of a model, what was not, and what was assumed instead.

use std::fmt;

use serde::Serialize;

use super::catalogue::Effect;
use crate::scenario::problem::Problem;

/// How much of a model the scenario covers.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    /// Objects that were modelled, by kind, sorted.
    pub modelled: Vec<ModelledKind>,
    /// Objects that were not, by kind: what matters first.
    pub ignored_objects: Vec<IgnoredKind>,
    /// Fields of modelled objects that were not read, what matters first.
    pub ignored_fields: Vec<IgnoredField>,
    /// Values that no manifest gives.
    pub assumptions: Vec<Assumption>,
    /// What will not run as the user may think: Pending pods, bindings without effect.
    pub warnings: Vec<Warning>,
}

/// Objects of one kind that were modelled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ModelledKind {
    /// The kind.
    pub kind: String,
    /// Its API group; empty for core.
    pub group: String,
    /// How many.
    pub objects: usize,
}

/// Objects of one kind that were not modelled.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IgnoredKind {
    /// What that means for the results.
    pub effect: Effect,
    /// The kind.
    pub kind: String,
    /// Its API group; empty for core.
    pub group: String,
    /// The objects, `namespace/name`.
    pub objects: Vec<String>,
    /// What they would have decided.
    pub why: String,
}

/// A field that was not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct IgnoredField {
    /// What that means for the results.
    pub effect: Effect,
    /// The kind of the objects that have it.
    pub kind: String,
    /// Its path, lists without positions: `spec.template.spec.containers[].image`.
    pub path: String,
    /// How many objects have it.
    pub objects: usize,
    /// What it would have decided; empty where it has no effect.
    pub why: String,
}

/// A value that no manifest gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Assumption {
    /// What it is about: a workload, a node pool, the mesh.
    pub subject: String,
    /// What was assumed.
    pub assumed: String,
    /// Why.
    pub because: String,
    /// What to write to replace it.
    pub instead: String,
}

/// Something that will not run as the user may think.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// The object, such as `Deployment/shop/cart`.
    pub object: String,
    /// Its place, `file:line:column`; empty if it has none.
    pub place: String,
    /// The sentence.
    pub message: String,
}

impl From<&Problem> for Warning {
    fn from(problem: &Problem) -> Self {
        Self {
            object: problem.object.clone().unwrap_or_default(),
            place: problem.location.as_ref().map(ToString::to_string).unwrap_or_default(),
            message: problem.sentence(),
        }
    }
}

impl Coverage {
    /// Whether everything that matters was modelled and nothing was left to warn of.
    pub fn is_complete(&self) -> bool {
        self.warnings.is_empty()
            && self.ignored_objects.iter().all(|kind| kind.effect == Effect::None)
            && self.ignored_fields.iter().all(|field| field.effect == Effect::None)
    }
}

/// Most names shown of one kind; the rest is counted.
const SHOWN_NAMES: usize = 3;

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let modelled = self.modelled.iter().map(|kind| {
            [with_group(&kind.kind, &kind.group), kind.objects.to_string(), String::new()]
        });
        table(f, "Modelled", modelled)?;
        let of = |effect| self.ignored_objects.iter().filter(move |kind| kind.effect == effect);
        table(f, "Not modelled, and it matters", of(Effect::Matters).map(kind_row))?;
        table(f, "Not modelled, of a kind not known here", of(Effect::Unknown).map(kind_row))?;
        let names: Vec<String> =
            of(Effect::None).map(|kind| format!("{} {}", kind.objects.len(), kind.kind)).collect();
        sentence(f, "Not modelled, without effect on latency or CPU", &names)?;
        self.show_fields(f)?;
        table(f, "Assumed", self.assumption_rows().into_iter())?;
        let warnings = self.warnings.iter().map(|warning| {
            [warning.object.clone(), warning.place.clone(), warning.message.clone()]
        });
        table(f, "Warnings", warnings)
    }
}

impl Coverage {
    /// One row for all that was assumed alike, for the same reason.
    fn assumption_rows(&self) -> Vec<[String; 3]> {
        let mut alike: Vec<(&Assumption, Vec<&str>)> = Vec::new();
        for assumption in &self.assumptions {
            let is_alike = |(other, _): &&mut (&Assumption, _)| {
                other.assumed == assumption.assumed && other.because == assumption.because
            };
            match alike.iter_mut().find(is_alike) {
                Some((_, subjects)) => subjects.push(&assumption.subject),
                None => alike.push((assumption, vec![&assumption.subject])),
            }
        }
        let row = |(first, subjects): (&Assumption, Vec<&str>)| {
            let because = format!("{}; to change it, {}", first.because, first.instead);
            [some_of(&subjects), first.assumed.clone(), because]
        };
        alike.into_iter().map(row).collect()
    }

    fn show_fields(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (matter, rest): (Vec<_>, Vec<_>) =
            self.ignored_fields.iter().partition(|field| field.effect == Effect::Matters);
        let rows = matter.iter().map(|field| {
            [format!("{} {}", field.kind, field.path), in_objects(field.objects), field.why.clone()]
        });
        table(f, "Fields not modelled, and it matters", rows)?;
        let mut names: Vec<String> = rest
            .iter()
            .map(|field| field.path.rsplit('.').next().unwrap_or_default().to_owned())
            .collect();
        names.sort();
        names.dedup();
        sentence(f, "Fields without effect on latency or CPU", &names)
    }
}

fn in_objects(count: usize) -> String {
    if count == 1 { "1 object".to_owned() } else { format!("{count} objects") }
}

fn with_group(kind: &str, group: &str) -> String {
    match group {
        "" | "apps" | "meshsim" => kind.to_owned(),
        group => format!("{kind} ({group})"),
    }
}

fn kind_row(kind: &IgnoredKind) -> [String; 3] {
    let names: Vec<&str> = kind.objects.iter().map(String::as_str).collect();
    let why = format!("{}: {}", kind.why, some_of(&names));
    [with_group(&kind.kind, &kind.group), kind.objects.len().to_string(), why]
}

/// The first names and how many more there are.
fn some_of(names: &[&str]) -> String {
    let shown = names[..names.len().min(SHOWN_NAMES)].join(", ");
    match names.len().saturating_sub(SHOWN_NAMES) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// A heading with aligned rows below it; nothing if there are none.
fn table(
    f: &mut fmt::Formatter<'_>,
    heading: &str,
    rows: impl Iterator<Item = [String; 3]>,
) -> fmt::Result {
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    let width =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let [first, second] = [width(0), width(1)];
    writeln!(f, "{heading}")?;
    for [subject, value, words] in &rows {
        let row = format!("  {subject:first$}  {value:second$}  {words}");
        writeln!(f, "{}", row.trim_end())?;
    }
    writeln!(f)
}

fn sentence(f: &mut fmt::Formatter<'_>, heading: &str, words: &[String]) -> fmt::Result {
    if words.is_empty() {
        return Ok(());
    }
    writeln!(f, "{heading}\n  {}\n", words.join(", "))
}
