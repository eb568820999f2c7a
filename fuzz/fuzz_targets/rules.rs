#![no_main]

#[path = "../../tests/common/fuzz.rs"]
#[allow(dead_code)]
mod fuzz;

libfuzzer_sys::fuzz_target!(|data: &[u8]| fuzz::rules(data));
