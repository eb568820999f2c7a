//! The `ponnuki` binary: parses its arguments and runs one command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ponnuki::cli::main(std::env::args_os())
}
