//! A fingerprint of what a component applies, so that a change inside it changes its Application too.

use rayon::prelude::*;

use crate::emit;
use crate::model::{ComponentIndex, Ladder, ResourceIndex};
use crate::problem::Problems;
use crate::rollback;

/// FNV-1a with 128 bits: stable over versions and machines; nothing secret hangs on it.
const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// One fingerprint per component: its documents as they will be applied, and the chart it names.
///
/// # Errors
/// When a document cannot carry its annotations.
pub fn fingerprints(ladder: &Ladder) -> Result<Vec<String>, Problems> {
    let all: Vec<Result<String, Problems>> = (0..ladder.components.len())
        .into_par_iter()
        .map(|number| fingerprint(ladder, ComponentIndex(number)))
        .collect();
    all.into_iter().collect()
}

/// The fingerprint of one component.
///
/// # Errors
/// When a document cannot carry its annotations.
pub fn fingerprint(ladder: &Ladder, component: ComponentIndex) -> Result<String, Problems> {
    let own: Vec<ResourceIndex> = ladder.resources_of(component).collect();
    let mut hash = OFFSET;
    for document in emit::documents(ladder, &own)? {
        for piece in document.pieces() {
            hash = mixed(hash, piece.as_bytes());
        }
        hash = mixed(hash, b"\0");
    }
    for job in rollback::of(ladder, component) {
        hash = mixed(hash, job.as_bytes());
    }
    if let Some(chart) = &ladder.component(component).descriptor.chart {
        hash = mixed(hash, format!("{chart:?}").as_bytes());
    }
    Ok(format!("{hash:032x}"))
}

fn mixed(hash: u128, bytes: &[u8]) -> u128 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_is_fnv_1a() {
        for (text, expected) in [
            ("", "6c62272e07bb014262b821756295c58d"),
            ("a", "d228cb696f1a8caf78912b704e4a8964"),
            ("foobar", "343e1662793c64bf6f0d3597ba446f18"),
        ] {
            assert_eq!(format!("{:032x}", mixed(OFFSET, text.as_bytes())), expected, "{text}");
        }
    }
}
