//! How far an experiment has come, on terminals only.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::experiment::Progress;

/// A bar on standard error; nothing where that is no terminal.
pub(super) struct Bar(ProgressBar);

const TEMPLATE: &str = "{msg}  {wide_bar}  {pos} of {len} runs, {elapsed} so far, {eta} left";

impl Bar {
    /// A bar for the experiment called `name`, without any runs yet.
    pub(super) fn new(name: &str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style.progress_chars("━╸ "));
        }
        bar.set_message(name.to_owned());
        // Shown from here on only: a bar without runs would be a full one.
        bar.set_draw_target(ProgressDrawTarget::stderr());
        Self(bar)
    }

    /// Takes note of `progress`; may be called from any thread.
    pub(super) fn take(&self, progress: Progress) {
        match progress {
            Progress::Planned(runs) => self.0.inc_length(runs),
            Progress::Ended => self.0.inc(1),
        }
    }

    /// Takes the bar off the screen.
    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// A line on standard error that tells which step of several is being done; nothing where that
/// is no terminal.
pub(super) struct Steps(ProgressBar);

const STEPS_TEMPLATE: &str = "{pos} of {len} done, {elapsed} so far: {msg}";

impl Steps {
    /// Nothing of `steps` done yet.
    pub(super) fn new(steps: usize) -> Self {
        let target = ProgressDrawTarget::stderr();
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        if let Ok(style) = ProgressStyle::with_template(STEPS_TEMPLATE) {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// The step called `name` begins.
    pub(super) fn begin(&self, name: &str) {
        self.0.set_message(name.to_owned());
        self.0.tick();
    }

    /// Ends a step: the line is off the screen while `print` prints what came of it.
    pub(super) fn end<T>(&self, print: impl FnOnce() -> T) -> T {
        self.0.inc(1);
        self.0.suspend(print)
    }

    /// Takes the line off the screen.
    pub(super) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
