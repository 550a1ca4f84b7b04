//! What all plots share: title, legend, panels, axes, error bars.

use super::canvas::{Area, Canvas, Point, Stroke, Type, WIDTH};
use super::font::fitted;
use super::palette::{ACCEPTED, AXIS, GRID, INK, Look, look};
use super::scale::Scale;
use crate::experiment::result::Estimate;
use plotters::style::RGBColor;

/// Space around a plot.
pub(super) const MARGIN: f64 = 24.0;

const TITLE_HEIGHT: f64 = 66.0;
const LEGEND_ROW: f64 = 22.0;
const LEGEND_GAP: f64 = 10.0;
const SWATCH: f64 = 24.0;
const ENTRY_GAP: f64 = 22.0;

/// Two entries fit side by side.
const LONGEST_ENTRY: f64 = (WIDTH - 2.0 * MARGIN - ENTRY_GAP) / 2.0 - SWATCH - 6.0;

/// How a legend shows a series.
#[derive(Clone, Copy, Debug)]
pub(super) enum Swatch {
    /// A line with a mark.
    Line(Look),
    /// A filled square.
    Fill(RGBColor),
    /// A value with its accepted range.
    Wanted,
}

/// Title, legend and where the body begins.
pub(super) struct Frame {
    title: String,
    subtitle: String,
    legend: Vec<(Point, Swatch, String)>,
    /// Top of the body.
    pub(super) top: f64,
}

impl Frame {
    /// Lays out the head of a plot; the legend breaks into as many rows as it needs.
    pub(super) fn new(title: &str, subtitle: &str, entries: Vec<(Swatch, String)>) -> Self {
        let (mut x, mut y) = (MARGIN, TITLE_HEIGHT + LEGEND_ROW / 2.0);
        let mut legend = Vec::new();
        for (swatch, label) in entries {
            let label = fitted(&label, Type::LABEL.size(), LONGEST_ENTRY);
            let width = SWATCH + 6.0 + Type::LABEL.width(&label);
            if x > MARGIN && x + width > WIDTH - MARGIN {
                (x, y) = (MARGIN, y + LEGEND_ROW);
            }
            legend.push(((x, y), swatch, label));
            x += width + ENTRY_GAP;
        }
        let top = if legend.is_empty() { TITLE_HEIGHT } else { y + LEGEND_ROW / 2.0 + LEGEND_GAP };
        Self { title: title.to_owned(), subtitle: subtitle.to_owned(), legend, top }
    }

    /// What the plot is called where it cannot be seen.
    pub(super) fn alternative(&self, experiment: &str) -> String {
        if experiment.is_empty() {
            self.title.clone()
        } else {
            format!("{}, {experiment}", self.title)
        }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>) {
        canvas.text(&self.title, (MARGIN, 26.0), Type::TITLE);
        canvas.text(&self.subtitle, (MARGIN, 48.0), Type::SUBTITLE);
        for ((x, y), swatch, label) in &self.legend {
            draw_swatch(canvas, (*x, *y), *swatch);
            canvas.text(label, (x + SWATCH + 6.0, *y), Type::LABEL);
        }
    }
}

fn draw_swatch(canvas: &mut Canvas<'_>, (x, y): Point, swatch: Swatch) {
    match swatch {
        Swatch::Line(look) => {
            canvas.line((x, y), (x + SWATCH, y), Stroke { color: look.color, width: 2.0 });
            canvas.mark((x + SWATCH / 2.0, y), 4.2, look);
        }
        Swatch::Fill(color) => {
            let area = Area { left: x + 8.0, top: y - 6.0, right: x + SWATCH, bottom: y + 6.0 };
            canvas.rectangle(area, color, 1.0);
        }
        Swatch::Wanted => {
            let [left, right] = [x, x + SWATCH];
            wanted(canvas, y, (left, right), Some(f64::midpoint(left, right)));
        }
    }
}

/// Legend entries of these variants.
pub(super) fn variant_legend(variants: &[String]) -> Vec<(Swatch, String)> {
    let entry = |(index, name): (usize, &String)| (Swatch::Line(look(index)), name.clone());
    variants.iter().enumerate().map(entry).collect()
}

/// Light lines across `area` at round values of `y`, their numbers left of it, and what they
/// are above them.
pub(super) fn vertical_axis(canvas: &mut Canvas<'_>, area: Area, y: &Scale, title: &str) {
    for tick in y.ticks(5) {
        let height = y.at(tick.value);
        let grid = Stroke { color: GRID, width: 1.0 };
        canvas.line((area.left, height), (area.right, height), grid);
        canvas.text(&tick.label, (area.left - 8.0, height), Type::AXIS.right_aligned());
    }
    canvas.text(title, (area.left, area.top - 18.0), Type::AXIS);
}

/// The line below `area`, ticks with their labels, and what they are.
pub(super) fn horizontal_axis(
    canvas: &mut Canvas<'_>,
    area: Area,
    ticks: &[(f64, String)],
    title: &str,
) {
    let axis = Stroke { color: AXIS, width: 1.0 };
    canvas.line((area.left, area.bottom), (area.right, area.bottom), axis);
    for (x, label) in ticks {
        canvas.line((*x, area.bottom), (*x, area.bottom + 4.0), axis);
        canvas.text(label, (*x, area.bottom + 14.0), Type::AXIS.centered());
    }
    let middle = f64::midpoint(area.left, area.right);
    canvas.text(title, (middle, area.bottom + 32.0), Type::AXIS.centered());
}

/// Below `area`, the round values of `x` and what they are.
pub(super) fn value_axis(canvas: &mut Canvas<'_>, area: Area, x: &Scale, title: &str) {
    let ticks: Vec<(f64, String)> =
        x.ticks(5).into_iter().map(|tick| (x.at(tick.value), tick.label)).collect();
    horizontal_axis(canvas, area, &ticks, title);
}

/// Light upright lines from `top` to `bottom` at the round values of `x`.
pub(super) fn upright_grid(canvas: &mut Canvas<'_>, (top, bottom): (f64, f64), x: &Scale) {
    for tick in x.ticks(5) {
        let position = x.at(tick.value);
        let stroke = Stroke { color: GRID, width: 1.0 };
        canvas.line((position, top), (position, bottom), stroke);
    }
}

/// The ends of an estimate's interval; twice its value without one.
pub(super) fn ends(estimate: &Estimate) -> [f64; 2] {
    let (low, high) = estimate.interval.unwrap_or((estimate.value, estimate.value));
    [low, high]
}

/// A wanted value, an upright line, on the band of accepted ones around it at height `y`.
pub(super) fn wanted(canvas: &mut Canvas<'_>, y: f64, band: (f64, f64), target: Option<f64>) {
    const HALF: f64 = 9.0;
    let area = Area { left: band.0, top: y - HALF, right: band.1, bottom: y + HALF };
    canvas.rectangle(area, ACCEPTED, 1.0);
    if let Some(x) = target {
        canvas.line((x, y - HALF), (x, y + HALF), Stroke { color: INK, width: 1.6 });
    }
}

/// An interval as a line with short caps between two points, upright or level.
pub(super) fn error_bar(canvas: &mut Canvas<'_>, from: Point, to: Point, color: RGBColor) {
    const CAP: f64 = 3.5;
    let stroke = Stroke { color, width: 1.4 };
    canvas.line(from, to, stroke);
    let upright = (from.0 - to.0).abs() < (from.1 - to.1).abs();
    let (dx, dy) = if upright { (CAP, 0.0) } else { (0.0, CAP) };
    for (x, y) in [from, to] {
        canvas.line((x - dx, y - dy), (x + dx, y + dy), stroke);
    }
}

/// A mark on its error bar, which is left out where the mark hides it.
pub(super) fn mark_with_bar(canvas: &mut Canvas<'_>, at: Point, bar: [Point; 2], look: Look) {
    const RADIUS: f64 = 4.2;
    let [from, to] = bar;
    if (from.0 - to.0).abs().max((from.1 - to.1).abs()) > 2.0 * RADIUS {
        error_bar(canvas, from, to, look.color);
    }
    canvas.mark(at, RADIUS, look);
}

/// `mean of 10 replications, bars: 95 % confidence interval`, as far as it holds.
pub(super) fn replications_note(replications: usize, interval: &str) -> String {
    match replications {
        0 => "nothing was measured".to_owned(),
        1 => "one replication".to_owned(),
        count => format!("mean of {count} replications; {interval}: 95 % confidence interval"),
    }
}

/// `; 12 of 40 sweep points shown`, unless all are.
pub(super) fn shown_note(shown: usize, all: usize) -> String {
    if shown < all { format!("; {shown} of {all} sweep points shown") } else { String::new() }
}

/// At most `most` of `items`, evenly spread, the first and the last among them.
pub(super) fn spread<T>(items: &[T], most: usize) -> Vec<&T> {
    if items.len() <= most || most < 2 {
        return items.iter().take(most).collect();
    }
    (0..most).filter_map(|index| items.get(index * (items.len() - 1) / (most - 1))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_holds_both_ends() {
        let items: Vec<usize> = (0..40).collect();
        assert_eq!(spread(&items, 4), [&0, &13, &26, &39]);
        assert_eq!(spread(&items[..3], 4), [&0, &1, &2]);
    }

    #[test]
    fn a_long_legend_breaks_into_rows_inside_the_plot() {
        let names: Vec<String> = (0..12).map(|i| format!("variant-with-long-name-{i}")).collect();
        let one = Frame::new("", "", variant_legend(&names[..1])).top;
        let frame = Frame::new("", "", variant_legend(&names));
        assert!(frame.top > one + LEGEND_ROW);
        for ((x, _), _, label) in &frame.legend {
            assert!(x + SWATCH + Type::LABEL.width(label) < WIDTH);
        }
    }
}
