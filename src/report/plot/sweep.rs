//! Response time, proxy CPU and failures against the parameter that is swept.

use super::canvas::{Area, Canvas, draw};
use super::data::PlotData;
use super::frame::{
    Frame, ends, horizontal_axis, replications_note, variant_legend, vertical_axis,
};
use super::lines::{Grid, line_with_bars};
use super::palette::look;
use super::scale::Scale;
use crate::experiment::result::{Estimate, Metric, Statistic};
use crate::report::ReportError;
use crate::report::format::plain;

const PANELS: [(Metric, Statistic, &str); 4] = [
    (Metric::ResponseTime, Statistic::P50, "P50 response time (ms)"),
    (Metric::ResponseTime, Statistic::P99, "P99 response time (ms)"),
    (Metric::ProxyCpu, Statistic::Mean, "CPU of the proxies (cores)"),
    (Metric::FailureShare, Statistic::Mean, "Failed requests per request"),
];
const FEWEST_POINTS: usize = 3;
/// Between the borders of a panel and the first and last value.
const PADDING: f64 = 14.0;
/// Numbers of ticks closer than this would touch.
const TICK_GAP: f64 = 40.0;

/// One swept parameter and its value at each sweep point.
struct Parameter<'a> {
    name: &'a str,
    points: Vec<(f64, &'a str)>,
}

/// Draws the plot as SVG; none unless one numeric parameter takes three values or more.
pub(super) fn svg(data: &PlotData) -> Result<Option<String>, ReportError> {
    let Some(parameter) = parameter(&data.points) else { return Ok(None) };
    let title = format!("By {}", parameter.name);
    let note = replications_note(data.replications, "bars");
    let frame = Frame::new(&title, &note, variant_legend(&data.variants));
    let grid = Grid::new(frame.top, PANELS.len(), false);
    draw(grid.bottom(), &frame.alternative(&data.experiment), |canvas| {
        frame.draw(canvas);
        for (index, (metric, statistic, title)) in PANELS.into_iter().enumerate() {
            let curves = curves(data, &parameter, metric, statistic);
            panel(canvas, &parameter, &curves, title, grid.panel(index));
        }
    })
    .map(Some)
}

/// The parameter, if every sweep point is `name=number` with the same name.
fn parameter(points: &[String]) -> Option<Parameter<'_>> {
    let name = points.first()?.split_once('=')?.0;
    let value = |point: &str| {
        let (other, value) = point.split_once('=')?;
        value.parse().ok().filter(|value: &f64| other == name && value.is_finite())
    };
    let values = points.iter().map(|point| Some((value(point)?, point.as_str())));
    let mut values = values.collect::<Option<Vec<_>>>()?;
    values.sort_by(|one, other| one.0.total_cmp(&other.0));
    (values.len() >= FEWEST_POINTS).then_some(Parameter { name, points: values })
}

/// One curve per variant: the parameter's value and the estimate there.
fn curves(
    data: &PlotData,
    parameter: &Parameter<'_>,
    metric: Metric,
    statistic: Statistic,
) -> Vec<Vec<(f64, Estimate)>> {
    let estimate = |variant: &String, (value, point): &(f64, &str)| {
        let found = data.estimate(variant, point, "", metric.name(), statistic);
        found.map(|estimate| (*value, estimate))
    };
    let curve = |variant: &String| {
        parameter.points.iter().filter_map(|point| estimate(variant, point)).collect()
    };
    data.variants.iter().map(curve).collect()
}

fn panel(
    canvas: &mut Canvas<'_>,
    parameter: &Parameter<'_>,
    curves: &[Vec<(f64, Estimate)>],
    title: &str,
    area: Area,
) {
    let values = curves.iter().flatten().flat_map(|(_, estimate)| ends(estimate));
    let y = Scale::fitting(values, (area.bottom, area.top));
    let x = Scale::between(
        parameter.points.iter().map(|(value, _)| *value),
        (area.left + PADDING, area.right - PADDING),
    );
    vertical_axis(canvas, area, &y, title);
    horizontal_axis(canvas, area, &ticks(parameter, &x), parameter.name);
    for (index, curve) in curves.iter().enumerate() {
        line_with_bars(canvas, look(index), curve, |value, height| (x.at(value), y.at(height)));
    }
}

/// Ticks at the values of the sweep, less those whose numbers would touch.
fn ticks(parameter: &Parameter<'_>, x: &Scale) -> Vec<(f64, String)> {
    let mut ticks: Vec<(f64, String)> = Vec::new();
    for (value, _) in &parameter.points {
        let position = x.at(*value);
        if ticks.last().is_none_or(|(last, _)| position - last >= TICK_GAP) {
            ticks.push((position, plain(*value)));
        }
    }
    ticks
}
