//! What WebAssembly lacks: threads, interrupts and the processor time of the process.

use std::io;
use std::time::Duration;

/// Does the system have threads? If not, work runs on the calling thread.
pub const HAS_THREADS: bool = cfg!(not(target_family = "wasm"));

/// Call a function at each interrupt from the keyboard. If the system refuses this, an interrupt
/// ends the program.
#[cfg(not(target_family = "wasm"))]
pub fn on_interrupt(call: impl FnMut() + Send + 'static) {
    let _ = ctrlc::set_handler(call);
}

/// Do nothing: there are no interrupts.
#[cfg(target_family = "wasm")]
pub fn on_interrupt(_: impl FnMut() + Send + 'static) {}

/// Processor time of the process.
///
/// # Errors
/// If the system does not measure it.
#[cfg(not(target_family = "wasm"))]
pub fn processor_time() -> io::Result<Duration> {
    cpu_time::ProcessTime::try_now().map(|time| time.as_duration())
}

/// Processor time of the process: it is not measured.
///
/// # Errors
/// Always.
#[cfg(target_family = "wasm")]
pub fn processor_time() -> io::Result<Duration> {
    Err(io::ErrorKind::Unsupported.into())
}
