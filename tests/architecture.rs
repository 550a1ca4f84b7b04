//! Who may import whom: the picture in `src/lib.rs` as a table, and every path in `src` held
//! against it.
//!
//! Tests inside `src` are held to the same table. Comments are not looked at.

use std::fs;
use std::path::{Path, PathBuf};

/// A layer and what it may import besides itself.
struct Layer {
    /// The module; the longest name that fits a path decides.
    module: &'static str,
    imports: &'static [&'static str],
}

/// From the bottom up: a layer imports only what stands above it in this list.
const LAYERS: &[Layer] = &[
    Layer { module: "units", imports: &[] },
    Layer { module: "engine", imports: &["units"] },
    Layer { module: "stats", imports: &["units"] },
    Layer { module: "policy", imports: &["units"] },
    Layer { module: "cost", imports: &["units", "policy"] },
    Layer { module: "cluster", imports: &["units", "policy"] },
    // Loads and calls name services and pods by their ids.
    Layer { module: "workload", imports: &["units", "policy", "cluster"] },
    Layer { module: "mesh", imports: &["units", "policy", "cost", "cluster"] },
    Layer {
        module: "scenario",
        imports: &["units", "policy", "cost", "cluster", "workload", "mesh"],
    },
    // What a run leaves behind: plain data for those above who must not see the world.
    Layer { module: "simulation::summary", imports: &["units", "stats"] },
    Layer {
        module: "simulation",
        imports: &[
            "units",
            "engine",
            "stats",
            "policy",
            "cost",
            "cluster",
            "workload",
            "mesh",
            "scenario",
            "simulation::summary",
        ],
    },
    // Turns manifests into a scenario, so it knows the domain but not the engine.
    Layer {
        module: "import",
        imports: &["units", "policy", "cost", "cluster", "workload", "mesh", "scenario"],
    },
    // What an experiment found: plain data, of which reports are made.
    Layer { module: "experiment::result", imports: &["units", "stats", "simulation::summary"] },
    Layer {
        module: "experiment",
        imports: &[
            "units",
            "stats",
            "cost",
            "cluster",
            "workload",
            "mesh",
            "scenario",
            "simulation::summary",
            "simulation",
            "import",
            "experiment::result",
        ],
    },
    // Claims about whole runs, made of scenarios built by hand.
    Layer {
        module: "validation",
        imports: &[
            "units",
            "stats",
            "cost",
            "cluster",
            "workload",
            "mesh",
            "scenario",
            "simulation::summary",
            "simulation",
            "import",
        ],
    },
    // Never the world: results, and the path table, which is data.
    Layer {
        module: "report",
        imports: &["units", "stats", "mesh", "simulation::summary", "experiment::result"],
    },
    Layer {
        module: "cli",
        imports: &[
            "units",
            "cost",
            "cluster",
            "workload",
            "mesh",
            "scenario",
            "simulation",
            "import",
            "experiment::result",
            "experiment",
            "validation",
            "report",
        ],
    },
];

/// A path that a file names, and where.
#[derive(Debug, PartialEq)]
struct Import {
    path: String,
    line: usize,
}

#[test]
fn layers_import_only_what_stands_below_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut broken = Vec::new();
    for file in rust_files(&src) {
        let relative = file.strip_prefix(&src).unwrap();
        let text = fs::read_to_string(&file).unwrap();
        broken.extend(
            violations(&module_of(relative), &text)
                .into_iter()
                .map(|(line, message)| format!("src/{}:{line}: {message}", relative.display())),
        );
    }
    assert!(broken.is_empty(), "\n{}\n", broken.join("\n"));
}

#[test]
fn the_table_itself_points_downwards() {
    for (at, layer) in LAYERS.iter().enumerate() {
        for import in layer.imports {
            let below = LAYERS[..at].iter().any(|lower| lower.module == *import);
            assert!(below, "{} is not below {}", import, layer.module);
        }
    }
}

#[test]
fn every_module_of_the_crate_has_its_place_in_the_table() {
    let lib = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let declared = lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    let mut declared: Vec<_> = declared.collect();
    let top = LAYERS.iter().map(|layer| layer.module).filter(|name| !name.contains("::"));
    let mut placed: Vec<_> = top.collect();
    declared.sort_unstable();
    placed.sort_unstable();
    assert_eq!(declared, placed);
}

#[test]
fn paths_are_found_in_groups_over_lines_and_through_super() {
    let text = "use crate::{cluster::{Node, Pod},\n    mesh::path};\n// crate::cli\nfn f() { crate::units::g() }\nuse super::super::stats::X;\n";
    let found = imports("scenario::spec", text);
    let import = |path: &str, line| Import { path: path.to_owned(), line };
    assert_eq!(
        found,
        [
            import("cluster::Node", 1),
            import("cluster::Pod", 1),
            import("mesh::path", 1),
            import("units::g", 4),
            import("stats::X", 5),
        ]
    );
}

#[test]
fn an_import_upwards_is_told_with_line_and_what_would_be_allowed() {
    let told = violations("cost::figure", "\nuse crate::simulation::summary::RunSummary;\n");
    let message = "`cost` must not import `simulation::summary`; it may import units, policy";
    assert_eq!(told, [(2, message.to_owned())]);
    assert!(violations("report::csv", "use crate::simulation::summary::Window;").is_empty());
    assert!(!violations("report::csv", "use crate::simulation::simulate;").is_empty());
}

/// Line and message of every import that `text`, the module `module`, must not have.
fn violations(module: &str, text: &str) -> Vec<(usize, String)> {
    let Some(layer) = layer_of(module) else { return Vec::new() };
    let forbidden = imports(module, text).into_iter().filter_map(|import| {
        let imported = layer_of(&import.path)?;
        let allowed = same_module(layer, imported) || layer.imports.contains(&imported.module);
        let list =
            if layer.imports.is_empty() { "nothing".into() } else { layer.imports.join(", ") };
        let message = format!(
            "`{}` must not import `{}`; it may import {list}",
            layer.module, imported.module
        );
        (!allowed).then_some((import.line, message))
    });
    forbidden.collect()
}

/// Whether both are one layer, or `imported` is set apart within `layer`'s own module.
fn same_module(layer: &Layer, imported: &Layer) -> bool {
    layer.module == imported.module
        || imported.module.strip_prefix(layer.module).is_some_and(|rest| rest.starts_with("::"))
}

/// The layer that `path` belongs to; none for `crate::main` and other paths of no layer.
fn layer_of(path: &str) -> Option<&'static Layer> {
    let holds = |layer: &&Layer| {
        path.strip_prefix(layer.module)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
    };
    LAYERS.iter().filter(holds).max_by_key(|layer| layer.module.len())
}

/// `mesh/path/query.rs` as `mesh::path::query`.
fn module_of(file: &Path) -> String {
    let mut parts: Vec<_> =
        file.with_extension("").iter().map(|p| p.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    parts.join("::")
}

/// Every path from the root of the crate that `text`, the module `module`, names.
fn imports(module: &str, text: &str) -> Vec<Import> {
    let code = without_comments(text);
    let to_root = "super::".repeat(module.split("::").count());
    let mut found = Vec::new();
    for root in ["crate::", to_root.as_str()] {
        for (at, _) in code.match_indices(root) {
            let is_whole = !code[..at].ends_with(|c: char| c.is_alphanumeric() || "_:".contains(c));
            if is_whole {
                let line = code[..at].matches('\n').count() + 1;
                let paths = expand(&mut code[at + root.len()..].chars().peekable());
                found.extend(paths.into_iter().map(|path| Import { path, line }));
            }
        }
    }
    found.sort_by_key(|import| import.line);
    found
}

/// The paths of a use tree: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expand(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Vec<String> {
    skip_space(chars);
    if chars.next_if_eq(&'{').is_some() {
        return group(chars);
    }
    let mut name = String::new();
    while let Some(c) = chars.next_if(|c| c.is_alphanumeric() || *c == '_') {
        name.push(c);
    }
    let goes_on = chars.next_if_eq(&':').is_some() && chars.next_if_eq(&':').is_some();
    let rest = if goes_on { expand(chars) } else { Vec::new() };
    match rest.as_slice() {
        [] => vec![name],
        _ => rest.iter().map(|rest| format!("{name}::{rest}")).collect(),
    }
}

/// The trees up to the closing brace.
fn group(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Vec<String> {
    let mut paths = Vec::new();
    loop {
        skip_space(chars);
        match chars.peek() {
            None => return paths,
            Some('}') => {
                chars.next();
                return paths;
            }
            Some(c) if c.is_alphanumeric() || *c == '_' || *c == '{' => {
                paths.extend(expand(chars));
            }
            Some(_) => {
                chars.next();
            }
        }
    }
}

fn skip_space(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while chars.next_if(|c| c.is_whitespace()).is_some() {}
}

/// The code with its lines in place, `//` comments cut off.
fn without_comments(text: &str) -> String {
    let code = |line: &str| {
        let end = if line.trim_start().starts_with("//") {
            0
        } else {
            line.find(" // ").unwrap_or(line.len())
        };
        line[..end].to_owned()
    };
    text.lines().map(code).collect::<Vec<_>>().join("\n")
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of the crate can be listed") {
        let path = entry.expect("its entries can be read").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}
