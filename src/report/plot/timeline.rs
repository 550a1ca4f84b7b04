//! Rate, failures and P99 over the measured part of the run, on one time axis.

use super::canvas::{Area, Canvas, Type, WIDTH, draw};
use super::data::{PlotData, SLOWEST_P99};
use super::frame::{
    Frame, MARGIN, ends, horizontal_axis, replications_note, variant_legend, vertical_axis,
};
use super::lines::{line_with_band, sparse_marks};
use super::palette::look;
use super::scale::Scale;
use crate::report::ReportError;
use crate::report::csv::time_series::{FAILURE_RATE, REQUEST_RATE, RESPONSE_TIME_P99};
use crate::report::format::point_label;

/// Metric, title, and what an empty panel says.
const PANELS: [(&str, &str, &str); 3] = [
    (REQUEST_RATE, "Requests that ended (req/s)", "no requests"),
    (FAILURE_RATE, "Failed requests (req/s)", "no failed requests"),
    (RESPONSE_TIME_P99, "P99 response time (ms)", "no answers"),
];
/// Stands in for the last where several pairs of caller and callee have no P99 in common.
const SLOWEST: (&str, &str, &str) = (SLOWEST_P99, "P99 of the slowest caller (ms)", "no answers");
const PANEL_HEIGHT: f64 = 150.0;
const PANEL_GAP: f64 = 40.0;
const FOOT: f64 = 48.0;

/// Draws the plot of one sweep point as SVG.
pub(super) fn svg(data: &PlotData, point: &str) -> Result<String, ReportError> {
    let note = replications_note(data.replications, "bands");
    let title = match point_label(point) {
        label if label.is_empty() => "Timeline".to_owned(),
        label => format!("Timeline at {label}"),
    };
    let frame = Frame::new(&title, &note, variant_legend(&data.variants));
    let height = frame.top + PANELS.len() as f64 * (PANEL_HEIGHT + PANEL_GAP) + FOOT;
    draw(height, &frame.alternative(&data.experiment), |canvas| {
        frame.draw(canvas);
        for (index, shown) in panels(data, point).into_iter().enumerate() {
            panel(canvas, data, point, shown, panel_area(frame.top, index));
        }
        time_axis(canvas, data, point, panel_area(frame.top, PANELS.len() - 1));
    })
}

fn panels(data: &PlotData, point: &str) -> [(&'static str, &'static str, &'static str); 3] {
    let measured = |metric| {
        data.variants.iter().any(|variant| !data.series(variant, point, metric).is_empty())
    };
    let [rate, failures, p99] = PANELS;
    let several = !measured(RESPONSE_TIME_P99) && measured(SLOWEST_P99);
    [rate, failures, if several { SLOWEST } else { p99 }]
}

fn panel_area(top: f64, index: usize) -> Area {
    let top = top + PANEL_GAP + index as f64 * (PANEL_HEIGHT + PANEL_GAP);
    Area { left: MARGIN + 46.0, top, right: WIDTH - MARGIN, bottom: top + PANEL_HEIGHT }
}

fn panel(
    canvas: &mut Canvas<'_>,
    data: &PlotData,
    point: &str,
    (metric, title, nothing): (&str, &str, &str),
    area: Area,
) {
    let values: Vec<f64> = data
        .variants
        .iter()
        .flat_map(|variant| data.series(variant, point, metric))
        .flat_map(|(_, estimate)| ends(estimate))
        .filter(|value| *value >= 0.0)
        .collect();
    let idle = values.iter().all(|value| *value <= 0.0);
    let y = Scale::fitting(values.into_iter(), (area.bottom, area.top));
    let x = time_scale(data, point, area);
    vertical_axis(canvas, area, &y, title);
    let place = |t_s: f64, value: f64| (x.at(t_s), y.at(value));
    let lines = || data.variants.iter().map(|variant| data.series(variant, point, metric));
    for (index, line) in lines().enumerate() {
        line_with_band(canvas, look(index), line, place);
    }
    for (index, line) in lines().enumerate() {
        sparse_marks(canvas, look(index), (index, data.variants.len()), line, place);
    }
    if idle {
        let middle = (f64::midpoint(area.left, area.right), f64::midpoint(area.top, area.bottom));
        canvas.text(nothing, middle, Type::AXIS.centered());
    }
}

/// From zero to the last window of any variant.
fn time_scale(data: &PlotData, point: &str, area: Area) -> Scale {
    let last = data
        .variants
        .iter()
        .filter_map(|variant| data.series(variant, point, REQUEST_RATE).last())
        .fold(0.0, |last: f64, (t_s, _)| last.max(*t_s));
    Scale::linear((0.0, if last > 0.0 { last } else { 1.0 }), (area.left, area.right))
}

fn time_axis(canvas: &mut Canvas<'_>, data: &PlotData, point: &str, area: Area) {
    let x = time_scale(data, point, area);
    let ticks: Vec<_> = x.ticks(8).into_iter().map(|tick| (x.at(tick.value), tick.label)).collect();
    horizontal_axis(canvas, area, &ticks, "Time since the end of the warm-up (s)");
}
