//! The terminal: progress, colours, interrupts and closed pipes.

use crate::util;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Exit code after an interrupt from the keyboard, by shell convention.
pub(super) const INTERRUPTED: u8 = 130;

/// A progress bar on standard error, if that is a terminal.
pub(super) fn progress_bar(len: u64) -> ProgressBar {
    let bar = ProgressBar::new(len);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar
}

/// A flag that an interrupt raises. A second interrupt ends the program at once.
pub(super) fn interrupt_flag() -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let raised = interrupted.clone();
    util::on_interrupt(move || {
        if raised.swap(true, Relaxed) {
            process::exit(INTERRUPTED.into());
        }
    });
    interrupted
}

/// Ignore a closed pipe: a reader such as `head` has seen enough.
pub(super) fn printed(result: io::Result<()>) -> Result<(), String> {
    match result {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(e.to_string()),
        _ => Ok(()),
    }
}

/// Does standard output show colours (<https://no-color.org>)? On Windows this switches them on;
/// consoles before Windows 10 have none.
pub(super) fn has_colors() -> bool {
    io::stdout().is_terminal()
        && !anstyle_query::no_color()
        && anstyle_query::term_supports_color()
        && anstyle_query::windows::enable_ansi_colors() != Some(false)
}
