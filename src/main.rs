//! The `ponnuki` binary: parses its arguments and runs one command.

use std::panic::resume_unwind;
use std::process::ExitCode;
use std::thread;

/// Bytes of stack, on every system: Windows gives the first thread 1 MiB, which is little for
/// boards of up to 25x25 in nested calls.
const STACK: usize = 8 << 20;

fn main() -> ExitCode {
    let run = || ponnuki::cli::main(std::env::args_os());
    match thread::Builder::new().stack_size(STACK).spawn(run) {
        Ok(running) => running.join().unwrap_or_else(|fault| resume_unwind(fault)),
        Err(_) => run(),
    }
}
