//! `ponnuki analysis`: KataGo's JSON analysis protocol on standard input and output.

use crate::analysis::Complaint;
use crate::gtp::note;
use crate::json::{Host, serve};
use crate::player::Settings;
use clap::Args;
use std::io;

/// How to end.
#[derive(Debug, Args)]
pub(super) struct Analysis {
    /// At the end of the input, leave without answering what waits
    #[arg(long)]
    quit_without_waiting: bool,
}

/// Visits of a position where nothing limits the search (KataGo's example has as many).
const VISITS: u64 = 500;

/// What KataGo says on standard error when it is ready; clients wait for this very line.
const READY: &str = "Started, ready to begin handling requests";

/// Answer until the end of the input.
///
/// # Errors
/// A line that says why it cannot begin, or go on.
pub(super) fn run(args: &Analysis, mut settings: Settings) -> Result<(), String> {
    if !settings.limits_a_search() {
        settings.visits = Some(VISITS);
    }
    let analyst = super::analyst(&settings)?;
    let host = Host::new(settings, analyst).map_err(|e| e.to_string())?;
    note(READY);
    let stdin = &mut io::stdin().lock();
    let complain = |what: &Complaint| note(format_args!("ponnuki: {what}"));
    let served = serve(
        host,
        stdin,
        &mut io::stdout(),
        args.quit_without_waiting,
        complain,
    );
    served.map_err(|e| e.to_string())
}
