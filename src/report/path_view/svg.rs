//! The few SVG elements that drawings consist of, as text.
//!
//! Lengths are in pixels. The width of text is estimated, because the font is the viewer's: the
//! estimate is that of a wide sans-serif, so that what fits here fits there.

/// An SVG document in the making.
#[derive(Default)]
pub(super) struct Svg {
    body: String,
}

/// How text looks.
#[derive(Clone, Copy)]
pub(super) struct Style {
    pub(super) size: f64,
    pub(super) fill: &'static str,
    pub(super) bold: bool,
    pub(super) anchor: &'static str,
}

impl Style {
    pub(super) const fn new(size: f64, fill: &'static str) -> Self {
        Self { size, fill, bold: false, anchor: "start" }
    }

    pub(super) const fn bold(mut self) -> Self {
        self.bold = true;
        self
    }

    pub(super) const fn centred(mut self) -> Self {
        self.anchor = "middle";
        self
    }

    /// The estimated width of `text`.
    pub(super) fn width(&self, text: &str) -> f64 {
        let ems: f64 = text.chars().map(|c| em(c) * if self.bold { 1.08 } else { 1.0 }).sum();
        ems * self.size
    }

    /// `text`, or as much of its beginning and end as `width` holds, with `…` between.
    pub(super) fn fitted(&self, text: &str, width: f64) -> String {
        let chars: Vec<char> = text.chars().collect();
        let mut kept = chars.len();
        let shortened = |kept: usize| -> String {
            let head = kept.div_ceil(2);
            chars[..head]
                .iter()
                .chain(['…'].iter())
                .chain(&chars[chars.len() - kept / 2..])
                .collect()
        };
        if self.width(text) <= width {
            return text.to_owned();
        }
        while kept > 2 && self.width(&shortened(kept)) > width {
            kept -= 1;
        }
        shortened(kept)
    }
}

/// The estimated width of a character in units of the font size.
fn em(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.32,
        'f' | 'r' | 't' | '-' | '(' | ')' | '/' => 0.42,
        'm' | 'w' | 'M' | 'W' => 0.92,
        'A'..='Z' | '→' | '…' => 0.70,
        _ => 0.61,
    }
}

impl Svg {
    /// Adds markup as it is.
    pub(super) fn raw(&mut self, markup: &str) {
        self.body.push_str(markup);
        self.body.push('\n');
    }

    /// Adds everything that `other` holds.
    pub(super) fn append(&mut self, other: Self) {
        self.body.push_str(&other.body);
    }

    /// A rectangle with rounded corners; `paint` is its remaining attributes.
    pub(super) fn rect(&mut self, [x, y, width, height]: [f64; 4], radius: f64, paint: &str) {
        self.raw(&format!(
            r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="{radius:.1}" {paint}/>"#
        ));
    }

    /// One line of text with its baseline at `y`.
    pub(super) fn text(&mut self, x: f64, y: f64, style: Style, text: &str) {
        let Style { size, fill, bold, anchor } = style;
        let weight = if bold { 600 } else { 400 };
        self.raw(&format!(
            r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" fill="{fill}" font-weight="{weight}" text-anchor="{anchor}">{}</text>"#,
            escaped(text)
        ));
    }

    /// A pill around `text`, its left edge at `x` and its middle at `y`; returns its width.
    pub(super) fn pill(&mut self, x: f64, y: f64, style: Style, text: &str, paint: &str) -> f64 {
        let width = style.width(text) + 1.6 * style.size;
        let height = 1.9 * style.size;
        self.rect([x, y - height / 2.0, width, height], height / 2.0, paint);
        self.text(x + width / 2.0, y + 0.36 * style.size, style.centred(), text);
        width
    }

    /// The document, `width` by `height`, described as `title` to those who cannot see it.
    pub(super) fn finish(self, width: f64, height: f64, title: &str) -> String {
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
             font-family=\"Inter, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif\">\n\
             <title>{}</title>\n{}</svg>\n",
            escaped(title),
            self.body
        )
    }
}

/// `text` as it may stand in markup and in attributes. Control characters, which XML forbids,
/// become spaces.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
