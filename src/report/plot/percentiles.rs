//! Response time by percentile: one panel per sweep point, one line per variant.

use super::canvas::{Area, Canvas, Type, draw};
use super::data::PlotData;
use super::frame::{
    Frame, ends, horizontal_axis, replications_note, shown_note, spread, variant_legend,
    vertical_axis,
};
use super::lines::{Grid, dodge, heading_place, line_with_bars};
use super::palette::look;
use super::scale::Scale;
use crate::experiment::result::{Estimate, Metric, Statistic};
use crate::report::ReportError;
use crate::report::format::point_label;

const PERCENTILES: [Statistic; 4] =
    [Statistic::P50, Statistic::P90, Statistic::P99, Statistic::P999];
const MOST_PANELS: usize = 12;

/// Draws the plot as SVG.
pub(super) fn svg(data: &PlotData) -> Result<String, ReportError> {
    let points = spread(&data.points, MOST_PANELS);
    let note = replications_note(data.replications, "bars");
    let note = note + &shown_note(points.len(), data.points.len());
    let frame = Frame::new("Response time by percentile", &note, variant_legend(&data.variants));
    let grid = Grid::new(frame.top, points.len(), points.iter().any(|point| !point.is_empty()));
    draw(grid.bottom(), &frame.alternative(&data.experiment), |canvas| {
        frame.draw(canvas);
        for (index, point) in points.iter().enumerate() {
            panel(canvas, data, point, grid.panel(index));
        }
    })
}

fn panel(canvas: &mut Canvas<'_>, data: &PlotData, point: &str, area: Area) {
    canvas.text(&point_label(point), heading_place(area), Type::HEADING);
    let y = Scale::fitting(all_values(data).into_iter(), (area.bottom, area.top));
    let x = Scale::linear((0.1, 3.2), (area.left, area.right));
    vertical_axis(canvas, area, &y, "Response time (ms)");
    let tick = |p: &Statistic| (x.at(nines(*p)), p.name().to_uppercase());
    horizontal_axis(canvas, area, &PERCENTILES.iter().map(tick).collect::<Vec<_>>(), "Percentile");
    for (index, variant) in data.variants.iter().enumerate() {
        let aside = dodge(index, data.variants.len());
        let place = |nines: f64, value: f64| (x.at(nines) + aside, y.at(value));
        line_with_bars(canvas, look(index), &estimates(data, variant, point), place);
    }
}

/// Decimal digits of the share above a percentile: P90 is 1, P99 is 2.
fn nines(percentile: Statistic) -> f64 {
    -(1.0 - percentile.quantile().unwrap_or(0.0)).log10()
}

fn estimates(data: &PlotData, variant: &str, point: &str) -> Vec<(f64, Estimate)> {
    let estimate = |statistic: Statistic| {
        let found = data.estimate(variant, point, "", Metric::ResponseTime.name(), statistic);
        found.map(|estimate| (nines(statistic), estimate))
    };
    PERCENTILES.into_iter().filter_map(estimate).collect()
}

/// All values and interval ends: the panels share one axis.
fn all_values(data: &PlotData) -> Vec<f64> {
    let cells = data.variants.iter().flat_map(|variant| {
        data.points.iter().flat_map(move |point| estimates(data, variant, point))
    });
    cells.flat_map(|(_, estimate)| ends(&estimate)).filter(|value| *value > 0.0).collect()
}
