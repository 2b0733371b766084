//! Turns lines and columns in characters into byte offsets. yaml-rust2's own index mixes characters and bytes
//! once a block scalar holds non-ASCII text, its lines and columns are right.

/// Finds byte offsets in one text; positions mostly move forward, so it walks from the last answer.
pub(super) struct Locator<'t> {
    text: &'t [u8],
    line: usize,
    column: usize,
    at: usize,
}

impl<'t> Locator<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text: text.as_bytes(), line: 0, column: 0, at: 0 }
    }

    /// The byte offset of a line and column (both from 0), at most the end of that line.
    pub(super) fn offset(&mut self, line: usize, column: usize) -> usize {
        if line != self.line && !self.move_to_line(line) {
            return self.text.len();
        }
        while self.column < column && self.at < self.text.len() && self.text[self.at] != b'\n' {
            self.at += width(self.text[self.at]);
            self.column += 1;
        }
        while self.column > column {
            self.at -= 1;
            if !continues(self.text[self.at]) {
                self.column -= 1;
            }
        }
        self.at
    }

    /// Whether there is such a line; yaml-rust2 puts the end of the text on a line of its own.
    fn move_to_line(&mut self, line: usize) -> bool {
        let (mut at, mut here) = (self.at, self.line);
        while here < line {
            let Some(newline) = memchr::memchr(b'\n', &self.text[at..]) else { return false };
            at += newline + 1;
            here += 1;
        }
        while here > line {
            at = memchr::memrchr(b'\n', &self.text[..at]).unwrap_or(0);
            here -= 1;
        }
        self.at = memchr::memrchr(b'\n', &self.text[..at]).map_or(0, |newline| newline + 1);
        self.line = line;
        self.column = 0;
        true
    }
}

fn continues(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

fn width(lead: u8) -> usize {
    match lead {
        0..0x80 => 1,
        0x80..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_found_from_every_other() {
        let text = "aé日😀z\n\nü\r\nx";
        let mut places = vec![(0, 0)];
        for letter in text.chars() {
            let (line, column) = places[places.len() - 1];
            places.push(if letter == '\n' { (line + 1, 0) } else { (line, column + 1) });
        }
        let offsets: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        for &first in &places {
            for (&(line, column), &at) in places.iter().zip(&offsets) {
                let mut locator = Locator::new(text);
                locator.offset(first.0, first.1);
                assert_eq!(locator.offset(line, column), at, "{first:?} {line} {column}");
            }
        }
        assert_eq!(Locator::new(text).offset(0, 99), 11);
        assert_eq!(Locator::new(text).offset(99, 0), text.len());
    }
}
