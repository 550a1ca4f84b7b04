//! Line charts: a grid of panels, one line per variant.

use super::canvas::{Area, Canvas, Point, Stroke, WIDTH};
use super::frame::{MARGIN, ends, mark_with_bar};
use super::palette::Look;
use crate::experiment::result::Estimate;

/// Room for the numbers left of a panel.
const LABELS: f64 = 46.0;
/// Room for the axis title above a panel.
const AXIS_TITLE: f64 = 32.0;
/// Room for a heading above that.
const HEADING: f64 = 24.0;
/// Height of a panel's data.
const PANEL: f64 = 206.0;
/// Marks along a line.
const MARKS: usize = 6;
/// Room for the axis below a panel.
const FOOT: f64 = 48.0;

/// Panels of equal size, row by row.
#[derive(Clone, Copy)]
pub(super) struct Grid {
    top: f64,
    columns: usize,
    panel_height: f64,
    rows: usize,
    head: f64,
}

impl Grid {
    /// A grid for `count` panels, two side by side, from `top` down.
    pub(super) fn new(top: f64, count: usize, with_headings: bool) -> Self {
        let columns = count.clamp(1, 2);
        let head = if with_headings { AXIS_TITLE + HEADING } else { AXIS_TITLE };
        Self {
            top,
            columns,
            panel_height: head + PANEL + FOOT,
            rows: count.div_ceil(columns),
            head,
        }
    }

    /// Where it ends.
    pub(super) fn bottom(&self) -> f64 {
        self.top + self.rows as f64 * self.panel_height
    }

    /// Where the panel at `index` has its data.
    pub(super) fn panel(&self, index: usize) -> Area {
        let width = (WIDTH - 2.0 * MARGIN) / self.columns as f64;
        let left = MARGIN + (index % self.columns) as f64 * width;
        let top = self.top + (index / self.columns) as f64 * self.panel_height;
        Area {
            left: left + LABELS,
            top: top + self.head,
            right: left + width - 16.0,
            bottom: top + self.panel_height - FOOT,
        }
    }
}

/// Above the axis title of a panel.
pub(super) fn heading_place(area: Area) -> Point {
    (area.left, area.top - 42.0)
}

/// A line through estimates, each with its error bar and mark. `place` maps the position along
/// the axis and a value to the canvas.
pub(super) fn line_with_bars(
    canvas: &mut Canvas<'_>,
    look: Look,
    estimates: &[(f64, Estimate)],
    place: impl Fn(f64, f64) -> Point,
) {
    line(canvas, look, estimates, &place);
    for (x, estimate) in estimates {
        let bar = ends(estimate).map(|end| place(*x, end));
        mark_with_bar(canvas, place(*x, estimate.value), bar, look);
    }
}

/// A line through estimates on the band of their intervals, without marks.
pub(super) fn line_with_band(
    canvas: &mut Canvas<'_>,
    look: Look,
    estimates: &[(f64, Estimate)],
    place: impl Fn(f64, f64) -> Point,
) {
    let upper = estimates.iter().map(|(x, estimate)| place(*x, ends(estimate)[1]));
    let lower = estimates.iter().rev().map(|(x, estimate)| place(*x, ends(estimate)[0]));
    let corners: Vec<Point> = upper.chain(lower).collect();
    if estimates.iter().any(|(_, estimate)| estimate.interval.is_some()) {
        canvas.polygon(&corners, look.color, 0.16);
    }
    line(canvas, look, estimates, &place);
}

/// Marks on a few of many estimates, enough to recognise the line at `index` of `count`, whose
/// marks stand apart from those of the others.
pub(super) fn sparse_marks(
    canvas: &mut Canvas<'_>,
    look: Look,
    (index, count): (usize, usize),
    estimates: &[(f64, Estimate)],
    place: impl Fn(f64, f64) -> Point,
) {
    let step = (estimates.len() / MARKS).max(1);
    let first = (2 * index + 1) * step / (2 * count);
    for (x, estimate) in estimates.iter().skip(first).step_by(step) {
        canvas.mark(place(*x, estimate.value), 3.6, look);
    }
}

fn line(
    canvas: &mut Canvas<'_>,
    look: Look,
    estimates: &[(f64, Estimate)],
    place: &impl Fn(f64, f64) -> Point,
) {
    let points: Vec<Point> = estimates.iter().map(|(x, e)| place(*x, e.value)).collect();
    if points.len() > 1 {
        canvas.path(&points, Stroke { color: look.color, width: 2.0 });
    }
}

/// Moves the variant at `index` of `count` aside, so that error bars do not hide each other.
pub(super) fn dodge(index: usize, count: usize) -> f64 {
    let gap = (20.0 / count as f64).min(5.0);
    (index as f64 - (count as f64 - 1.0) / 2.0) * gap
}
