//! Turns character counts into byte offsets. Parser positions mostly move forward, so a cursor that walks from
//! the last answer is cheaper than a table.

/// Finds byte offsets of character indexes in one text.
pub(super) struct Locator<'t> {
    text: &'t [u8],
    ascii: bool,
    chars: usize,
    bytes: usize,
}

impl<'t> Locator<'t> {
    pub(super) fn new(text: &'t str, ascii: bool) -> Self {
        Self { text: text.as_bytes(), ascii, chars: 0, bytes: 0 }
    }

    /// The byte offset of character `index`, at most the length of the text.
    #[inline]
    pub(super) fn offset(&mut self, index: usize) -> usize {
        if self.ascii { index.min(self.text.len()) } else { self.walk(index) }
    }

    fn walk(&mut self, index: usize) -> usize {
        while self.chars < index && self.bytes < self.text.len() {
            self.bytes += width(self.text[self.bytes]);
            self.chars += 1;
        }
        while self.chars > index {
            self.bytes -= 1;
            if !continues(self.text[self.bytes]) {
                self.chars -= 1;
            }
        }
        self.bytes
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
    fn every_index_is_found_forwards_and_backwards() {
        let text = "aé日😀z";
        let offsets: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let mut locator = Locator::new(text, false);
        for order in [vec![0, 1, 2, 3, 4, 5], vec![5, 4, 3, 2, 1, 0], vec![3, 1, 4, 0, 5, 2]] {
            for index in order {
                assert_eq!(locator.offset(index), offsets[index]);
            }
        }
        assert_eq!(locator.offset(99), text.len());
        assert_eq!(Locator::new("abc", true).offset(2), 2);
    }
}
