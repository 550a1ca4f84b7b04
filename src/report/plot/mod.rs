//! Plots as SVG and PNG, made from the CSV files alone.

mod added_latency;
mod canvas;
mod data;
mod font;
mod frame;
mod lines;
mod palette;
mod percentiles;
mod png;
mod proxy_cpu;
mod rows;
mod scale;
mod sweep;
mod timeline;

use std::path::Path;

pub(in crate::report) use canvas::dark_rules;
use data::PlotData;

use rayon::prelude::*;

use super::ReportError;
use super::output_folder::replace_file;

/// A drawn plot.
#[derive(Clone, Debug)]
pub struct Plot {
    /// File name without extension, such as `added-latency`.
    pub name: String,
    /// The image as SVG text.
    pub svg: String,
}

impl Plot {
    fn new(name: &str, svg: String) -> Self {
        Self { name: name.to_owned(), svg }
    }

    fn write(&self, folder: &Path) -> Result<(), ReportError> {
        let path = |extension| folder.join(format!("{}.{extension}", self.name));
        replace_file(&path("svg"), self.svg.as_bytes())?;
        replace_file(&path("png"), &png::png(&self.svg)?)
    }
}

/// Most sweep points that get a timeline of their own.
const MOST_TIMELINES: usize = 12;

/// Draws all plots from the CSV files in `folder`.
///
/// # Errors
///
/// If a CSV file is missing or malformed, or a plot cannot be drawn.
pub fn draw(folder: &Path) -> Result<Vec<Plot>, ReportError> {
    let data = PlotData::read(folder)?;
    let mut plots = vec![Plot::new("latency-percentiles", percentiles::svg(&data)?)];
    plots.extend(added_latency::svg(&data)?.map(|svg| Plot::new("added-latency", svg)));
    plots.extend(proxy_cpu::svg(&data)?.map(|svg| Plot::new("proxy-cpu", svg)));
    plots.extend(sweep::svg(&data)?.map(|svg| Plot::new("sweep", svg)));
    for (index, point) in frame::spread(&data.points, MOST_TIMELINES).into_iter().enumerate() {
        let name = timeline_name(index, data.points.len());
        plots.push(Plot::new(&name, timeline::svg(&data, point)?));
    }
    Ok(plots)
}

/// `timeline`, or `timeline-1`, `timeline-2` … with several sweep points.
fn timeline_name(index: usize, points: usize) -> String {
    if points < 2 { "timeline".to_owned() } else { format!("timeline-{}", index + 1) }
}

/// Draws all plots from the CSV files in `folder` into it, as SVG and PNG.
///
/// # Errors
///
/// As [`draw`]; and if a file cannot be written.
pub fn redraw(folder: &Path) -> Result<Vec<Plot>, ReportError> {
    let plots = draw(folder)?;
    plots.par_iter().try_for_each(|plot| plot.write(folder))?;
    Ok(plots)
}
