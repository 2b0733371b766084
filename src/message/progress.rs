//! Progress of long work: a bar on a terminal's stderr, nothing in a pipe.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar that may be silent.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar on stderr; indicatif draws it only when that is a terminal.
    #[must_use]
    pub fn on_terminal() -> Self {
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(10));
        if let Ok(style) = ProgressStyle::with_template("{spinner} {pos}/{len} files read, {elapsed}") {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// No bar at all.
    #[must_use]
    pub fn silent() -> Self {
        Self(ProgressBar::hidden())
    }

    pub(crate) fn start(&self, steps: usize) {
        self.0.set_length(steps as u64);
        // Short work never flashes a bar.
        if steps > 200 {
            self.0.enable_steady_tick(Duration::from_millis(200));
        }
    }

    pub(crate) fn step(&self) {
        self.0.inc(1);
    }

    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }
}
