//! Laws that hold for every tree and every stream of manifests.

#![expect(clippy::disallowed_methods, reason = "tests read files and start programs")]

mod groups;
mod phases;
mod streams;
mod targets;

use std::env;

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// The same few trees in every run; `PROPTEST_CASES=10000` looks at as many new ones.
pub(crate) fn few(cases: u32) -> ProptestConfig {
    let usual = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if env::var_os("PROPTEST_CASES").is_some() {
        return usual;
    }
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(155), ..usual }
}
