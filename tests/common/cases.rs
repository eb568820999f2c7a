//! How the tests with generated cases find them.

use proptest::test_runner::{Config, RngSeed};
use std::env::var_os;

/// `cases` cases, the same on every run. `PROPTEST_CASES` asks for another number of them and
/// `PROPTEST_RNG_SEED` for others.
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
