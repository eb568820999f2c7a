//! `ponnuki analysis`: KataGo's JSON analysis protocol on standard input and output.

use super::network;
use crate::analysis::Complaint;
use crate::configuration::Configuration;
use crate::gtp::note;
use crate::json::{AnalysisServer, serve};
use clap::Args;
use std::io;

/// Options of `ponnuki analysis`.
#[derive(Debug, Args)]
pub(super) struct Analysis {
    /// Exit at the end of the input without answering pending queries
    #[arg(long)]
    quit_without_waiting: bool,
}

/// Visits per position if nothing limits the search (as in KataGo's example configuration).
const VISITS: u64 = 500;

/// KataGo's line on standard error when it is ready; clients wait for exactly this line.
const READY: &str = "Started, ready to begin handling requests";

/// Answer queries until the end of the input.
///
/// # Errors
/// A message that says why it cannot start or continue.
pub(super) fn run(args: &Analysis, mut configuration: Configuration) -> Result<(), String> {
    let settings = &mut configuration.engine;
    if !settings.limits.are_set() {
        settings.limits.visits = Some(VISITS);
    }
    let analyst = network::analyst(settings)?;
    let server = AnalysisServer::new(configuration, analyst).map_err(|e| e.to_string())?;
    note(READY);
    let stdin = &mut io::stdin().lock();
    let complain = |what: &Complaint| note(format_args!("ponnuki: {what}"));
    let served = serve(
        server,
        stdin,
        &mut io::stdout(),
        args.quit_without_waiting,
        complain,
    );
    served.map_err(|e| e.to_string())
}
