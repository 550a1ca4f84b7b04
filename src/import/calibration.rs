//! Calibrations: what everything costs, from `models/calibration/` or from the user.

use std::path::Path;

use super::manifests::{Manifests, load_model, load_text};
use super::own::{Own, read_own};
use crate::cost::{CalibrationSpec, CostModel};
use crate::scenario::problem::{Problem, Problems};

/// The calibration of experiments that name none.
const BUILT_IN: (&str, &str) = (
    "models/calibration/eks-arm64-istio-1.31.yaml",
    include_str!("../../models/calibration/eks-arm64-istio-1.31.yaml"),
);

/// The calibrations that come with the program, whatever folder it is started in.
const SHIPPED: [(&str, &str); 3] = [
    BUILT_IN,
    (
        "models/calibration/bare-metal-istio-1.24.yaml",
        include_str!("../../models/calibration/bare-metal-istio-1.24.yaml"),
    ),
    (
        "models/calibration/gke-istio-1.7.yaml",
        include_str!("../../models/calibration/gke-istio-1.7.yaml"),
    ),
];

/// The calibration of this name among those that come with the program: `bare-metal-istio-1.24`,
/// every figure with its source, and what a run takes from it.
///
/// # Errors
///
/// There is none of this name.
pub fn shipped_calibration(name: &str) -> Result<(CalibrationSpec, CostModel), Problems> {
    let is_meant =
        |(path, _): &&(&str, &str)| Path::new(path).file_stem().is_some_and(|stem| stem == name);
    let Some((path, text)) = SHIPPED.iter().find(is_meant) else {
        let mut problems = Problems::default();
        problems.push(Problem::statement(name, "is not a calibration that comes with the program"));
        return Err(problems);
    };
    let calibration = the_calibration(load_text(path, text), path)?;
    let costs = cost_model(&calibration)?;
    Ok((calibration.spec, costs))
}

/// The costs in the file at `path`, which holds one `kind: Calibration`.
///
/// # Errors
///
/// Everything that is wrong with the file and its figures.
pub fn load_calibration(path: &Path) -> Result<CostModel, Problems> {
    let spec = the_calibration(load_model(path), &path.display().to_string())?;
    cost_model(&spec)
}

/// The calibration of experiments that name none: EKS on Graviton, Istio 1.31.
///
/// # Errors
///
/// None, as a test sees to.
pub fn built_in_calibration() -> Result<CostModel, Problems> {
    let (name, text) = BUILT_IN;
    let spec = the_calibration(load_text(name, text), name)?;
    cost_model(&spec)
}

fn the_calibration(manifests: Manifests, name: &str) -> Result<Own<CalibrationSpec>, Problems> {
    let Manifests { objects, mut problems, .. } = manifests;
    let mut own = read_own(&objects, &mut problems);
    if let [_, second, ..] = own.calibrations.as_slice() {
        let problem = Problem::statement("kind", "is a second Calibration; one file holds one");
        problems.push(second.object.locate(problem));
    }
    if own.calibrations.is_empty() && !problems.has_errors() {
        problems.push(Problem::statement(name, "holds no object with `kind: Calibration`"));
    }
    problems.or_ok(())?;
    Ok(own.calibrations.swap_remove(0))
}

/// The checked figures. [`read_own`] has checked them once already.
fn cost_model(calibration: &Own<CalibrationSpec>) -> Result<CostModel, Problems> {
    calibration.spec.check(&calibration.name).map_err(|found| {
        let mut problems = Problems::default();
        for problem in found {
            let path = format!("spec.{}", problem.parameter);
            let problem = Problem::violation(path, problem.found, problem.rule);
            problems.push(calibration.object.locate(problem));
        }
        problems
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_calibration_is_whole() {
        let costs = built_in_calibration().unwrap();
        assert_eq!(costs.name, "eks-arm64-istio-1.31");
        assert!(costs.sidecar_outbound_cpu > costs.ztunnel_cpu);
    }

    #[test]
    fn every_calibration_that_comes_along_is_whole() {
        let folder = std::fs::read_dir("models/calibration").unwrap();
        let mut files = 0;
        for path in folder.map(|entry| entry.unwrap().path()) {
            if path.extension().is_some_and(|extension| extension == "yaml") {
                let costs = load_calibration(&path).unwrap_or_else(|p| panic!("{p}"));
                assert_eq!(path.file_stem().unwrap(), costs.name.as_str());
                let shipped = shipped_calibration(&costs.name).unwrap_or_else(|p| panic!("{p}"));
                assert_eq!(shipped.1, costs, "the program carries what the folder holds");
                files += 1;
            }
        }
        assert_eq!(files, SHIPPED.len());
        assert!(shipped_calibration("none").is_err());
    }

    #[test]
    fn a_figure_outside_its_range_or_in_a_wrong_unit_is_named_with_its_place() {
        let text = BUILT_IN
            .1
            .replace("sidecarOutboundCpu: {value: ", "sidecarOutboundCpu: {value: 99")
            .replacen("unit: threads", "unit: ms", 1);
        let problems = the_calibration(load_text("mine.yaml", &text), "mine.yaml").unwrap_err();
        let shown = problems.to_string();
        assert!(shown.contains("mine.yaml:"), "{shown}");
        assert!(
            shown.contains("spec.sidecarWorkers\n      is in ms, but must be in threads"),
            "{shown}"
        );
        assert!(shown.contains("spec.sidecarOutboundCpu\n      is 99"), "{shown}");
        assert!(shown.contains("inside its own range of"), "{shown}");
    }

    #[test]
    fn a_file_without_a_calibration_says_so() {
        let text = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n";
        let problems = the_calibration(load_text("a.yaml", text), "a.yaml").unwrap_err();
        assert!(problems.to_string().contains("holds no object with `kind: Calibration`"));
    }
}
