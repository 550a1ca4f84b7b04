//! SVG to PNG, with the carried typeface.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::font::database;
use crate::report::ReportError;

/// Pixels of the PNG per pixel of the SVG: sharp on dense screens.
pub(super) const DENSITY: f32 = 2.0;

/// Renders `svg` at [`DENSITY`].
pub(super) fn png(svg: &str) -> Result<Vec<u8>, ReportError> {
    let options = Options { fontdb: database(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| ReportError::plot(&error))?;
    let size = tree.size().to_int_size().scale_by(DENSITY);
    let mut pixmap = size
        .and_then(|size| Pixmap::new(size.width(), size.height()))
        .ok_or_else(|| ReportError::plot(&"the image is empty"))?;
    let transform = Transform::from_scale(DENSITY, DENSITY);
    resvg::render(&tree, transform, &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| ReportError::plot(&error))
}
