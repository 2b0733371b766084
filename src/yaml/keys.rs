//! Notices a key that its mapping already has. Small mappings compare hashes in a row, large ones use a set, so
//! neither a thousand tiny mappings nor one huge one is slow.

use std::collections::HashSet;
use std::ops::Range;

const SMALL: usize = 24;

/// Argo CD writes a key as JSON and reads that as YAML, where no key is longer, quotes included.
const LONGEST: usize = 1024;
/// JSON writes one byte as six at most.
const LONGEST_ESCAPE: usize = 6;

/// Why Argo CD refuses a key.
#[inline]
pub(super) fn refusal(key: &str) -> Option<&'static str> {
    let may_be_long = key.len() > LONGEST / LONGEST_ESCAPE - 2;
    if may_be_long && json_len(key) + 2 > LONGEST {
        return Some("a key of more than 1024 characters is refused by Argo CD");
    }
    None
}

/// How many characters Go writes for a text in JSON.
fn json_len(text: &str) -> usize {
    let len = |character| match character {
        '"' | '\\' | '\n' | '\r' | '\t' => 2,
        '\0'..'\u{20}' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => LONGEST_ESCAPE,
        _ => 1,
    };
    text.chars().map(len).sum()
}

/// The keys of all mappings that are open.
#[derive(Default)]
pub(super) struct OpenKeys {
    hashes: Vec<(u64, Range<usize>)>,
    arena: String,
}

/// The keys of one open mapping.
#[derive(Default)]
pub(super) struct Scope {
    first: usize,
    arena: usize,
    large: Option<HashSet<Box<str>>>,
}

impl OpenKeys {
    pub(super) fn open(&self) -> Scope {
        Scope { first: self.hashes.len(), arena: self.arena.len(), large: None }
    }

    pub(super) fn close(&mut self, scope: &Scope) {
        self.hashes.truncate(scope.first);
        self.arena.truncate(scope.arena);
    }

    /// Adds a key to the innermost scope and says whether it was new there.
    pub(super) fn insert(&mut self, scope: &mut Scope, key: &str) -> bool {
        if let Some(large) = &mut scope.large {
            return large.insert(key.into());
        }
        let hash = hash(key);
        let small = &self.hashes[scope.first..];
        if small.iter().any(|(other, at)| *other == hash && self.arena[at.clone()] == *key) {
            return false;
        }
        if small.len() >= SMALL {
            let mut large: HashSet<Box<str>> =
                small.iter().map(|(_, at)| self.arena[at.clone()].into()).collect();
            large.insert(key.into());
            scope.large = Some(large);
            self.close(scope);
            return true;
        }
        let start = self.arena.len();
        self.arena.push_str(key);
        self.hashes.push((hash, start..self.arena.len()));
        true
    }
}

/// A fast hash for comparing keys; equality is always checked on the text as well.
pub(super) fn hash(text: &str) -> u64 {
    let mut hash = text.len() as u64;
    for part in text.as_bytes().chunks(8) {
        let mut word = [0; 8];
        word[..part.len()].copy_from_slice(part);
        hash = (hash.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_key_is_noticed_in_small_and_large_mappings() {
        let mut keys = OpenKeys::default();
        let mut outer = keys.open();
        for number in 0..200 {
            assert!(keys.insert(&mut outer, &format!("key-{number}")));
            let mut inner = keys.open();
            assert!(keys.insert(&mut inner, "key-1"));
            assert!(!keys.insert(&mut inner, "key-1"));
            keys.close(&inner);
            assert!(!keys.insert(&mut outer, "key-0"));
        }
    }

    #[test]
    fn a_key_that_holds_a_nul_is_not_the_part_before_it() {
        for more in [0, 30] {
            let mut keys = OpenKeys::default();
            let mut scope = keys.open();
            for number in 0..more {
                assert!(keys.insert(&mut scope, &format!("k{number}\0b")));
            }
            assert!(keys.insert(&mut scope, "k\0b"));
            assert!(keys.insert(&mut scope, "k"));
            assert!(!keys.insert(&mut scope, "k\0b"));
        }
    }
}
