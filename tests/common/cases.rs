//! Configuration of tests with generated cases.

use proptest::test_runner::{Config, RngSeed};
use std::env::var_os;

/// Configure `cases` cases, the same on every run. `PROPTEST_CASES` sets another number, and
/// `PROPTEST_RNG_SEED` other cases.
pub fn cases(cases: u32) -> Config {
    let mut config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    if var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    if var_os("PROPTEST_RNG_SEED").is_none() {
        config.rng_seed = RngSeed::Fixed(1);
    }
    config
}
