//! Response time over the baseline: P50 and P99 of every other variant, with what was expected.

use super::canvas::{Area, Canvas, Type, draw};
use super::data::PlotData;
use super::frame::{Frame, Swatch, ends, mark_with_bar, replications_note, shown_note, wanted};
use super::palette::look;
use super::rows::{Row, Rows, column_value, shown_points};
use super::scale::Scale;
use crate::experiment::result::{Estimate, Metric, Statistic};
use crate::report::ReportError;
use crate::report::csv::expectations::ExpectationRow;

const COLUMN_HEADING: f64 = 26.0;
const STATISTICS: [Statistic; 2] = [Statistic::P50, Statistic::P99];

/// Draws the plot as SVG; none if there is nothing but a baseline.
pub(super) fn svg(data: &PlotData) -> Result<Option<String>, ReportError> {
    let [baseline, others @ ..] = data.variants.as_slice() else { return Ok(None) };
    if others.is_empty() {
        return Ok(None);
    }
    let shown = shown_points(data, others.len()).len();
    let note = replications_note(data.replications, "bars, ±");
    let note =
        format!("over the baseline “{baseline}”; {note}{}", shown_note(shown, data.points.len()));
    let frame = Frame::new("Added response time", &note, legend(data));
    let rows = Rows::new(data, 1, frame.top + COLUMN_HEADING);
    draw(rows.height(), &frame.alternative(&data.experiment), |canvas| {
        frame.draw(canvas);
        rows.draw_names(canvas);
        for (index, statistic) in STATISTICS.into_iter().enumerate() {
            column(canvas, data, &rows, rows.column(index, STATISTICS.len()), statistic);
        }
    })
    .map(Some)
}

fn legend(data: &PlotData) -> Vec<(Swatch, String)> {
    let drawn = STATISTICS.iter().any(|statistic| {
        data.expectations.iter().any(|expectation| speaks_of(data, expectation, *statistic))
    });
    let entry = (Swatch::Wanted, "expected value and accepted range".to_owned());
    drawn.then_some(entry).into_iter().collect()
}

fn column(
    canvas: &mut Canvas<'_>,
    data: &PlotData,
    rows: &Rows<'_>,
    area: Area,
    statistic: Statistic,
) {
    let values = rows.rows.iter().flat_map(|row| values(data, row, statistic));
    let x = Scale::from_zero(values, (area.left, area.right));
    rows.draw_axis(canvas, area, &x, "Added response time (ms)");
    canvas.text(
        &statistic.name().to_uppercase(),
        (area.left, area.top - COLUMN_HEADING / 2.0),
        Type::HEADING,
    );
    for row in &rows.rows {
        for expectation in expectations(data, row, statistic) {
            let low = expectation.wanted_low.map_or(area.left, |low| x.at(low));
            let high = expectation.wanted_high.map_or(area.right, |high| x.at(high));
            wanted(canvas, row.y, (low, high), expectation.wanted.map(|value| x.at(value)));
        }
        if let Some(estimate) = estimate(data, row, statistic) {
            let bar = ends(&estimate).map(|end| (x.at(end), row.y));
            mark_with_bar(canvas, (x.at(estimate.value), row.y), bar, look(row.index));
            column_value(canvas, area, row.y, &estimate);
        }
    }
}

fn estimate(data: &PlotData, row: &Row<'_>, statistic: Statistic) -> Option<Estimate> {
    data.estimate(row.variant, row.point, "", Metric::ResponseTimeAdded.name(), statistic)
}

/// Everything the axis must hold.
fn values(data: &PlotData, row: &Row<'_>, statistic: Statistic) -> Vec<f64> {
    let estimates = estimate(data, row, statistic).into_iter().flat_map(|e| ends(&e));
    let wanted = expectations(data, row, statistic)
        .flat_map(|e| [e.wanted, e.wanted_low, e.wanted_high].into_iter().flatten());
    estimates.chain(wanted).collect()
}

fn expectations<'a>(
    data: &'a PlotData,
    row: &'a Row<'_>,
    statistic: Statistic,
) -> impl Iterator<Item = &'a ExpectationRow<'static>> {
    data.expectations.iter().filter(move |expectation| {
        speaks_of(data, expectation, statistic)
            && expectation.variant == row.variant
            && expectation.point == row.point
    })
}

/// Whether the expectation is on this statistic of the difference to the baseline.
fn speaks_of(data: &PlotData, expectation: &ExpectationRow<'_>, statistic: Statistic) -> bool {
    let versus_baseline = expectation.comparison == "difference"
        && data.variants.first().is_some_and(|baseline| *baseline == expectation.versus)
        && expectation.metric == Metric::ResponseTime.name();
    let added =
        expectation.comparison.is_empty() && expectation.metric == Metric::ResponseTimeAdded.name();
    (versus_baseline || added)
        && expectation.scope.is_empty()
        && expectation.statistic == statistic.name()
}
