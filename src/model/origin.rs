//! Where a fact was read: carried from load to the last message.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use crate::message::printable;

/// A file, relative to the root, and a line in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Origin {
    /// Path relative to the root, with `/`.
    pub file: Arc<str>,
    /// First line is 1.
    pub line: usize,
}

impl Origin {
    /// A place in a file.
    #[must_use]
    pub fn new(file: &Arc<str>, line: usize) -> Self {
        Self { file: Arc::clone(file), line }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", printable::line(&self.file), self.line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_of_a_file_name_do_not_reach_the_terminal() {
        let origin = Origin::new(&Arc::from("a\n/\u{1b}[31mé\u{9b}.yaml"), 3);
        assert_eq!(origin.to_string(), "a\\n/\\u{1b}[31mé\\u{9b}.yaml:3");
    }
}
