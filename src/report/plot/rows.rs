//! Charts with one row per variant, grouped by sweep point, and values along the level axis.

use super::canvas::{Area, Canvas, Stroke, Type, WIDTH};
use super::data::PlotData;
use super::font::fitted;
use super::frame::{MARGIN, spread, upright_grid, value_axis};
use super::palette::AXIS;
use super::scale::Scale;
use crate::experiment::result::Estimate;
use crate::report::format::{point_label, with_half_width};

const ROW: f64 = 26.0;
const GROUP_HEADING: f64 = 28.0;
const GROUP_GAP: f64 = 10.0;
const FOOT: f64 = 48.0;
const LONGEST_NAME: f64 = 230.0;
const VALUES: f64 = 118.0;
const COLUMN_GAP: f64 = 18.0;
const MOST_ROWS: usize = 60;

/// One variant at one sweep point.
pub(super) struct Row<'a> {
    /// Middle of the row.
    pub(super) y: f64,
    pub(super) point: &'a str,
    pub(super) variant: &'a str,
    /// Position among the variants, the baseline included.
    pub(super) index: usize,
}

/// Rows laid out below the head of a plot.
pub(super) struct Rows<'a> {
    pub(super) rows: Vec<Row<'a>>,
    headings: Vec<(f64, String)>,
    /// Top and bottom of each group.
    spans: Vec<(f64, f64)>,
    names: f64,
    top: f64,
    bottom: f64,
}

impl<'a> Rows<'a> {
    /// Rows from `top` down of the variants from position `first` on, as many sweep points as
    /// have room.
    pub(super) fn new(data: &'a PlotData, first: usize, top: f64) -> Self {
        let variants: Vec<_> = data.variants.iter().enumerate().skip(first).collect();
        let mut y = top;
        let (mut rows, mut headings, mut spans) = (Vec::new(), Vec::new(), Vec::new());
        for point in shown_points(data, variants.len()) {
            if !point.is_empty() {
                headings.push((y + GROUP_HEADING / 2.0, point_label(point)));
                y += GROUP_HEADING;
            }
            let first_row = y;
            for (index, variant) in &variants {
                rows.push(Row { y: y + ROW / 2.0, point, variant, index: *index });
                y += ROW;
            }
            spans.push((first_row, y));
            y += GROUP_GAP;
        }
        let widths = variants.iter().map(|(_, name)| Type::LABEL.width(name));
        let names = widths.fold(60.0, f64::max).min(LONGEST_NAME);
        Self { rows, headings, spans, names, top, bottom: y }
    }

    /// Height of the plot with the axis below the rows.
    pub(super) fn height(&self) -> f64 {
        self.bottom + FOOT
    }

    /// Where column `index` of `count` has its data.
    pub(super) fn column(&self, index: usize, count: usize) -> Area {
        let left = MARGIN + self.names + 14.0;
        let width = (WIDTH - MARGIN - left) / count as f64;
        let left = left + index as f64 * width;
        let right = left + width - VALUES - COLUMN_GAP;
        Area { left, top: self.top, right, bottom: self.bottom }
    }

    /// The axis of a column, its grid and the line at zero behind each group.
    pub(super) fn draw_axis(&self, canvas: &mut Canvas<'_>, area: Area, x: &Scale, title: &str) {
        let zero = x.at(0.0);
        for span in &self.spans {
            upright_grid(canvas, *span, x);
            canvas.line((zero, span.0), (zero, span.1), Stroke { color: AXIS, width: 1.0 });
        }
        value_axis(canvas, area, x, title);
    }

    /// The names of rows and groups.
    pub(super) fn draw_names(&self, canvas: &mut Canvas<'_>) {
        for (y, heading) in &self.headings {
            canvas.text(heading, (MARGIN, *y), Type::HEADING);
        }
        for row in &self.rows {
            let name = fitted(row.variant, Type::LABEL.size(), self.names);
            canvas.text(&name, (MARGIN + self.names, row.y), Type::LABEL.right_aligned());
        }
    }
}

/// As many sweep points as [`MOST_ROWS`] allow, but always one.
pub(super) fn shown_points(data: &PlotData, variants: usize) -> Vec<&String> {
    spread(&data.points, (MOST_ROWS / variants.max(1)).max(1))
}

/// An estimate in words right of its column.
pub(super) fn column_value(canvas: &mut Canvas<'_>, area: Area, y: f64, estimate: &Estimate) {
    canvas.text(&with_half_width(estimate), (area.right + 12.0, y), Type::LABEL);
}
