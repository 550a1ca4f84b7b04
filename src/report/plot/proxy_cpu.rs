//! CPU of all proxies, stacked by kind of proxy.

use super::canvas::{Area, Canvas, draw};
use super::data::PlotData;
use super::frame::{Frame, Swatch, ends, error_bar, replications_note, shown_note};
use super::palette::{INK, kind_color};
use super::rows::{Row, Rows, column_value, shown_points};
use super::scale::Scale;
use crate::experiment::result::measure::kind_scope;
use crate::experiment::result::{Estimate, Metric, Statistic};
use crate::report::ReportError;
use crate::simulation::summary::ProxyKind;

const KINDS: [ProxyKind; 4] =
    [ProxyKind::Sidecar, ProxyKind::Ztunnel, ProxyKind::Waypoint, ProxyKind::Gateway];
const HALF_BAR: f64 = 8.0;

/// Draws the plot as SVG; none if there are no proxies.
pub(super) fn svg(data: &PlotData) -> Result<Option<String>, ReportError> {
    let legend = legend(data);
    if legend.is_empty() {
        return Ok(None);
    }
    let shown = shown_points(data, data.variants.len()).len();
    let note = replications_note(data.replications, "bars, ±");
    let note = note + &shown_note(shown, data.points.len());
    let frame = Frame::new("CPU of the proxies", &note, legend);
    let rows = Rows::new(data, 0, frame.top);
    draw(rows.height(), &frame.alternative(&data.experiment), |canvas| {
        frame.draw(canvas);
        rows.draw_names(canvas);
        column(canvas, data, &rows);
    })
    .map(Some)
}

/// The kinds that occur.
fn legend(data: &PlotData) -> Vec<(Swatch, String)> {
    let occurs = |kind: &ProxyKind| {
        let mut variants = data.variants.iter();
        variants.any(|variant| {
            let mut points = data.points.iter();
            points.any(|point| cores(data, variant, point, &kind_scope(*kind)).is_some())
        })
    };
    let entry = |kind: ProxyKind| (Swatch::Fill(kind_color(kind)), kind.label().to_owned());
    KINDS.into_iter().filter(occurs).map(entry).collect()
}

fn column(canvas: &mut Canvas<'_>, data: &PlotData, rows: &Rows<'_>) {
    let area = rows.column(0, 1);
    let total = |row: &Row<'_>| cores(data, row.variant, row.point, "");
    let highest = rows.rows.iter().filter_map(total).map(|estimate| ends(&estimate)[1]);
    let x = Scale::from_zero(highest, (area.left, area.right));
    rows.draw_axis(canvas, area, &x, "CPU (cores)");
    for row in &rows.rows {
        stack(canvas, data, row, &x);
        if let Some(total) = total(row) {
            let [low, high] = ends(&total).map(|end| (x.at(end), row.y));
            if low.0 < high.0 {
                error_bar(canvas, low, high, INK);
            }
            column_value(canvas, area, row.y, &total);
        }
    }
}

fn stack(canvas: &mut Canvas<'_>, data: &PlotData, row: &Row<'_>, x: &Scale) {
    let mut sum = 0.0;
    for kind in KINDS {
        let Some(part) = cores(data, row.variant, row.point, &kind_scope(kind)) else { continue };
        let (left, right) = (x.at(sum), x.at(sum + part.value));
        let bar = Area { left, top: row.y - HALF_BAR, right, bottom: row.y + HALF_BAR };
        canvas.rectangle(bar, kind_color(kind), 1.0);
        sum += part.value;
    }
}

fn cores(data: &PlotData, variant: &str, point: &str, scope: &str) -> Option<Estimate> {
    data.estimate(variant, point, scope, Metric::ProxyCpu.name(), Statistic::Mean)
}
