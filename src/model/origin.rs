//! Where a fact was read: carried from load to the last message.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

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
        write!(f, "{}:{}", Shown(&self.file), self.line)
    }
}

/// A path as a terminal may see it: control characters in its names are escaped.
pub struct Shown<'p>(pub &'p str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.contains(char::is_control) {
            return f.write_str(self.0);
        }
        for character in self.0.chars() {
            if character.is_control() {
                write!(f, "{}", character.escape_default())?;
            } else {
                write!(f, "{character}")?;
            }
        }
        Ok(())
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
