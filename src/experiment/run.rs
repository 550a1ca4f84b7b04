//! Running an experiment: all its cells, as often as needed, side by side.

use rayon::prelude::*;

use super::expectation::Observed;
use super::planned::{Experiment, PlannedCell, PlannedPoint};
use super::replicate::{Progress, replicate};
use super::result::{Cell, ExperimentResult};
use crate::simulation::simulate;

impl Experiment {
    /// Simulates every cell and judges the expectations.
    ///
    /// Runs are spread over the threads of the current rayon pool; `progress` is called from
    /// any of them. The result is a pure function of the experiment.
    pub fn run(&self, progress: &(dyn Fn(Progress) + Sync)) -> ExperimentResult {
        let cells: Vec<Vec<Cell>> =
            self.points.par_iter().map(|point| self.run_point(point, progress)).collect();
        let mut result = ExperimentResult {
            name: self.name.clone(),
            question: self.question.clone(),
            seed: self.seed,
            cells: cells.into_iter().flatten().collect(),
            inputs: self.inputs.clone(),
            assumptions: self.assumptions.clone(),
            ..ExperimentResult::default()
        };
        result.checks = self.judge(&result.cells);
        result
    }

    fn run_point(&self, point: &PlannedPoint, progress: &(dyn Fn(Progress) + Sync)) -> Vec<Cell> {
        let runs = replicate(
            &point.cells,
            &self.replications,
            |cell, number| simulate(&cell.scenario, self.seed, number),
            progress,
        );
        let cells = point.cells.iter().zip(runs);
        let cell = |(planned, replications): (&PlannedCell, _)| Cell {
            variant: planned.variant.clone(),
            point: point.name.clone(),
            replications,
        };
        cells.map(cell).collect()
    }

    fn judge(&self, cells: &[Cell]) -> Vec<super::result::ExpectationOutcome> {
        let observe = |cell: &'_ Cell| cell.measures();
        let observed: Vec<Observed<'_>> = cells
            .iter()
            .map(|cell| Observed {
                variant: &cell.variant,
                point: &cell.point,
                runs: observe(cell),
            })
            .collect();
        self.expectations.iter().flat_map(|expectation| expectation.judge(&observed)).collect()
    }
}
