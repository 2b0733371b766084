//! Progress of long work: a bar on a terminal's stderr, nothing in a pipe.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work of fewer steps is done before anybody has read a bar, which would only flash.
const MANY: usize = 200;

/// A bar that may be silent.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    is_silent: bool,
}

impl Progress {
    /// A bar on stderr; indicatif draws it only when that is a terminal.
    #[must_use]
    pub fn on_terminal() -> Self {
        let bar = ProgressBar::hidden();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {pos}/{len} files read, {elapsed}") {
            bar.set_style(style);
        }
        Self { bar, is_silent: false }
    }

    /// No bar at all.
    #[must_use]
    pub fn silent() -> Self {
        Self { bar: ProgressBar::hidden(), is_silent: true }
    }

    pub(crate) fn start(&self, steps: usize) {
        self.bar.set_length(steps as u64);
        if steps > MANY && !self.is_silent {
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
            self.bar.enable_steady_tick(Duration::from_millis(200));
        }
    }

    pub(crate) fn step(&self) {
        self.bar.inc(1);
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
