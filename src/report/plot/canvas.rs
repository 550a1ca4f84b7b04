//! Drawing on SVG in fractions of a pixel.
//!
//! Plotters' SVG backend takes whole coordinates. The canvas draws ten times as large and
//! lets the `viewBox` shrink it again, so that lines fall where the numbers say.

use std::fmt::Display;

use plotters::prelude::{DrawingBackend, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontTransform, RGBAColor, RGBColor, ShapeStyle};

use super::font::{font, text_width};
use super::palette::{DARK, GROUND, INK, Look, MUTED, Mark, hex};
use crate::report::ReportError;
use crate::report::format::escape;

/// Width of every plot in pixels.
pub(super) const WIDTH: f64 = 900.0;

const SCALE: f64 = 10.0;

/// Horizontal and vertical position in pixels from the upper left corner.
pub(super) type Point = (f64, f64);

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

/// Colour, opacity (0 to 1) and width in pixels of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stroke {
    pub(super) color: RGBColor,
    pub(super) width: f64,
}

/// How a text looks and which of its points is placed.
#[derive(Clone, Copy)]
pub(super) struct Type {
    size: f64,
    bold: bool,
    color: RGBColor,
    horizontal: HPos,
    vertical: VPos,
}

impl Type {
    /// Title of a plot.
    pub(super) const TITLE: Self = Self::new(16.0, true, INK);
    /// Line below the title.
    pub(super) const SUBTITLE: Self = Self::new(12.0, false, MUTED);
    /// Title of one panel or group.
    pub(super) const HEADING: Self = Self::new(12.5, true, INK);
    /// Names of variants, values.
    pub(super) const LABEL: Self = Self::new(12.0, false, INK);
    /// Ticks and titles of axes.
    pub(super) const AXIS: Self = Self::new(11.0, false, MUTED);

    const fn new(size: f64, bold: bool, color: RGBColor) -> Self {
        Self { size, bold, color, horizontal: HPos::Left, vertical: VPos::Center }
    }

    /// Centred on its point.
    pub(super) const fn centered(self) -> Self {
        Self { horizontal: HPos::Center, ..self }
    }

    /// Ends at its point.
    pub(super) const fn right_aligned(self) -> Self {
        Self { horizontal: HPos::Right, ..self }
    }

    /// Size in pixels.
    pub(super) const fn size(self) -> f64 {
        self.size
    }

    /// Width of `text` in pixels.
    pub(super) fn width(self, text: &str) -> f64 {
        text_width(text, self.size, self.bold)
    }
}

/// An SVG image in the making. The first error is kept until [`Canvas::finish`].
pub(super) struct Canvas<'a> {
    backend: SVGBackend<'a>,
    outcome: Result<(), ReportError>,
}

/// Draws an SVG image of [`WIDTH`] and `height` pixels; `title` is what screen readers say.
pub(super) fn draw(
    height: f64,
    title: &str,
    paint: impl FnOnce(&mut Canvas<'_>),
) -> Result<String, ReportError> {
    let mut text = String::new();
    let mut canvas = Canvas {
        backend: SVGBackend::with_string(&mut text, (units(WIDTH) as u32, units(height) as u32)),
        outcome: Ok(()),
    };
    canvas.rectangle(Area { left: 0.0, top: 0.0, right: WIDTH, bottom: height }, GROUND, 1.0);
    paint(&mut canvas);
    canvas.finish()?;
    Ok(with_header(&text, height, title))
}

/// Pixels to the backend's units.
fn units(pixels: f64) -> i32 {
    (pixels * SCALE).round() as i32
}

fn at((x, y): Point) -> (i32, i32) {
    (units(x), units(y))
}

fn filled(color: RGBColor, opacity: f64) -> RGBAColor {
    color.mix(opacity)
}

impl Canvas<'_> {
    fn keep(&mut self, outcome: Result<(), impl Display>) {
        if self.outcome.is_ok() {
            self.outcome = outcome.map_err(|error| ReportError::plot(&error));
        }
    }

    fn finish(mut self) -> Result<(), ReportError> {
        let presented = self.backend.present();
        self.keep(presented);
        self.outcome
    }

    pub(super) fn line(&mut self, from: Point, to: Point, stroke: Stroke) {
        let drawn = self.backend.draw_line(at(from), at(to), &stroke.style());
        self.keep(drawn);
    }

    pub(super) fn path(&mut self, points: &[Point], stroke: Stroke) {
        let drawn = self.backend.draw_path(points.iter().copied().map(at), &stroke.style());
        self.keep(drawn);
    }

    /// Fills the polygon with these corners.
    pub(super) fn polygon(&mut self, corners: &[Point], color: RGBColor, opacity: f64) {
        let color = filled(color, opacity);
        let drawn = self.backend.fill_polygon(corners.iter().copied().map(at), &color);
        self.keep(drawn);
    }

    /// Fills a rectangle.
    pub(super) fn rectangle(&mut self, area: Area, color: RGBColor, opacity: f64) {
        let (from, to) = (at((area.left, area.top)), at((area.right, area.bottom)));
        let drawn = self.backend.draw_rect(from, to, &filled(color, opacity), true);
        self.keep(drawn);
    }

    /// Draws a data point of this radius.
    pub(super) fn mark(&mut self, center: Point, radius: f64, look: Look) {
        self.shape(center, radius, look.mark, look.color);
        if look.hollow {
            self.shape(center, radius - 1.6, look.mark, GROUND);
        }
    }

    fn shape(&mut self, (x, y): Point, radius: f64, mark: Mark, color: RGBColor) {
        let corners: &[Point] = match mark {
            Mark::Circle => {
                let radius = units(radius) as u32;
                let drawn = self.backend.draw_circle(at((x, y)), radius, &filled(color, 1.0), true);
                return self.keep(drawn);
            }
            Mark::Square => &[(-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)],
            Mark::Triangle => &[(0.0, -1.2), (1.15, 0.8), (-1.15, 0.8)],
            Mark::Diamond => &[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)],
        };
        let place = |(dx, dy): &Point| (x + dx * radius, y + dy * radius);
        let corners: Vec<Point> = corners.iter().map(place).collect();
        self.polygon(&corners, color, 1.0);
    }

    pub(super) fn text(&mut self, text: &str, point: Point, r#type: Type) {
        let style = plotters::style::TextStyle {
            font: font(r#type.size * SCALE, r#type.bold).transform(FontTransform::None),
            color: filled(r#type.color, 1.0).to_backend_color(),
            pos: Pos::new(r#type.horizontal, r#type.vertical),
        };
        let drawn = self.backend.draw_text(text, &style, at(point));
        self.keep(drawn);
    }
}

impl Stroke {
    fn style(self) -> ShapeStyle {
        ShapeStyle {
            color: filled(self.color, 1.0),
            filled: false,
            stroke_width: units(self.width).max(1) as u32,
        }
    }
}

/// Replaces plotters' opening tag by one that says the size in pixels, the title, and the
/// colours of dark pages.
fn with_header(svg: &str, height: f64, title: &str) -> String {
    let body = svg.split_once('>').map_or(svg, |(_, body)| body);
    let (view_width, view_height) = (units(WIDTH), units(height));
    let title = escape(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" \
         width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {view_width} {view_height}\">\n\
         <title>{title}</title>\n{}{}",
        dark_style(),
        body.trim_start()
    )
}

/// The style sheet of an image that stands alone.
fn dark_style() -> String {
    format!("<style>@media (prefers-color-scheme: dark) {{\n{}}}</style>\n", dark_rules())
}

/// CSS rules that turn the colours of a plot into those of dark pages: presentation attributes
/// yield to CSS.
pub(in crate::report) fn dark_rules() -> String {
    DARK
        .iter()
        .map(|(light, dark)| {
            let light = hex(*light);
            format!(
                ".plot [fill=\"{light}\"]{{fill:{dark}}}.plot [stroke=\"{light}\"]{{stroke:{dark}}}\n"
            )
        })
        .collect()
}
