//! Finds the first character that Go's YAML reader refuses; yaml-rust2 would let it pass or, for NUL, silently
//! end the file. Whole blocks of clean ASCII are skipped at once.

use super::{Mark, YamlError};

const BLOCK: usize = 64;

/// Refuses control characters and non-characters.
pub(super) fn check(text: &str) -> Result<(), YamlError> {
    let mut begin = 0;
    for block in text.as_bytes().chunks(BLOCK) {
        if suspicious(block)
            && let Some(found) = refused_in(text, begin, block.len())
        {
            return Err(refusal(text, found));
        }
        begin += block.len();
    }
    Ok(())
}

fn suspicious(block: &[u8]) -> bool {
    // Arithmetic without branches, so that the compiler can look at many bytes at once.
    let odd = |byte: &u8| {
        let control = u8::from(*byte < 0x20);
        let usual = u8::from(*byte == b'\n') + u8::from(*byte == b'\r') + u8::from(*byte == b'\t');
        (control - usual) | u8::from(*byte >= 0x7f)
    };
    block.iter().map(odd).fold(0, |seen, odd| seen | odd) != 0
}

fn refused_in(text: &str, begin: usize, len: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    (begin..begin + len).find(|&at| match bytes[at] {
        b'\t' | b'\n' | b'\r' => false,
        0..0x20 | 0x7f => true,
        0xc2 => bytes[at + 1] < 0xa0 && bytes[at + 1] != 0x85,
        0xef => bytes[at + 1] == 0xbf && bytes[at + 2] >= 0xbe,
        _ => false,
    })
}

fn refusal(text: &str, at: usize) -> YamlError {
    let found = text[at..].chars().next().unwrap_or_default();
    let message =
        format!("character U+{:04X} is not allowed in YAML, write it as an escape", u32::from(found));
    YamlError::at(place(text, at), message)
}

/// The place of byte `at`, counted from the start; only for errors.
pub(super) fn place(text: &str, at: usize) -> Mark {
    let head = &text[..at];
    let line_start = head.rfind('\n').map_or(0, |newline| newline + 1);
    Mark {
        offset: at,
        line: memchr::memchr_iter(b'\n', head.as_bytes()).count() + 1,
        column: head[line_start..].chars().count() + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_go_refuses_is_refused_with_its_place() {
        for bad in ["\0", "\u{1}", "\u{b}", "\u{1f}", "\u{7f}", "\u{80}", "\u{9f}", "\u{fffe}", "\u{ffff}"] {
            let text = format!("{}a: é\nb: ü{bad}c\n", "# x\n".repeat(40));
            let error = check(&text).unwrap_err();
            assert_eq!((error.line, error.column), (42, 5), "{bad:?}");
        }
    }

    #[test]
    fn ordinary_and_rare_text_passes() {
        for good in ["", "a: b\r\n\tc", "\u{85}\u{a0}\u{feff}\u{2028}\u{fffd}", "日本語 😀"] {
            assert_eq!(check(&good.repeat(30)), Ok(()), "{good:?}");
        }
    }
}
