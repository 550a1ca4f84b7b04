//! The typeface of all plots, carried by the binary.

use std::sync::{Arc, LazyLock};

use plotters::style::{FontDesc, FontFamily, FontStyle, register_font};
use resvg::usvg::fontdb;

/// What SVG files name: a browser without Inter takes the next.
pub(super) const FAMILY: &str = "Inter, Helvetica Neue, Arial, sans-serif";

static REGULAR: &[u8] = include_bytes!("../../../assets/inter/Inter-Regular.otf");
static SEMI_BOLD: &[u8] = include_bytes!("../../../assets/inter/Inter-SemiBold.otf");

/// Plotters writes a font size divided by this.
const PLOTTERS_SIZE: f64 = 1.24;

/// Both weights, known to plotters under [`FAMILY`] once this has been read.
static REGISTERED: LazyLock<bool> = LazyLock::new(|| {
    register_font(FAMILY, FontStyle::Normal, REGULAR).is_ok()
        && register_font(FAMILY, FontStyle::Bold, SEMI_BOLD).is_ok()
});

static DATABASE: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut database = fontdb::Database::new();
    database.load_font_data(REGULAR.to_vec());
    database.load_font_data(SEMI_BOLD.to_vec());
    database.set_sans_serif_family("Inter");
    Arc::new(database)
});

/// The typeface at `size` pixels.
pub(super) fn font(size: f64, bold: bool) -> FontDesc<'static> {
    // Should registration fail, text measures as nothing and is still written.
    let _registered = *REGISTERED;
    let style = if bold { FontStyle::Bold } else { FontStyle::Normal };
    FontDesc::new(FontFamily::Name(FAMILY), size * PLOTTERS_SIZE, style)
}

/// How wide `text` is at `size` pixels, in pixels.
pub(super) fn text_width(text: &str, size: f64, bold: bool) -> f64 {
    // Plotters measures in whole pixels: measure large, then scale down.
    const MAGNIFIED: f64 = 16.0;
    font(size * MAGNIFIED, bold).box_size(text).map_or(0.0, |size| f64::from(size.0) / MAGNIFIED)
}

/// `text`, its middle replaced by an ellipsis if it is wider than `width` pixels: long names
/// often differ at their ends.
pub(super) fn fitted(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size, false) <= width {
        return text.to_owned();
    }
    let letters: Vec<char> = text.chars().collect();
    let shortened = |kept: usize| {
        let (head, tail) = (kept.div_ceil(2), kept / 2);
        let head = letters.iter().take(head);
        head.chain(&['…']).chain(&letters[letters.len() - tail..]).collect::<String>()
    };
    let fits = |text: &String| text_width(text, size, false) <= width;
    (0..letters.len()).rev().map(shortened).find(fits).unwrap_or_default()
}

/// The typeface for rendering PNG.
pub(super) fn database() -> Arc<fontdb::Database> {
    Arc::clone(&DATABASE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_carried_fonts_are_registered_and_measure_text() {
        assert!(*REGISTERED);
        assert!(text_width("sidecar", 12.0, true) > text_width("sidecar", 12.0, false));
        assert!((30.0..60.0).contains(&text_width("sidecar", 12.0, false)));
        assert_eq!(database().len(), 2);
    }

    #[test]
    fn long_names_are_cut_to_the_width_and_short_ones_kept() {
        let cut = fitted("a-very-long-variant-name-that-never-ends", 12.0, 100.0);
        assert!(cut.starts_with("a-very") && cut.contains('…') && cut.ends_with("ends"), "{cut}");
        assert!(text_width(&cut, 12.0, false) <= 100.0);
        assert_eq!(fitted("none", 12.0, 100.0), "none");
        assert_eq!(fitted("none", 12.0, 0.0), "");
    }
}
