//! Base64 as Kubernetes writes it in Secrets, read in memory only.

/// The text that is encoded; none where the bytes are no text or the code is broken.
#[must_use]
pub fn decode(code: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(code.len() / 4 * 3);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for letter in code.bytes().filter(|byte| !byte.is_ascii_whitespace() && *byte != b'=') {
        bits = bits << 6 | u32::from(sextet(letter)?);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push(u8::try_from(bits >> held & 0xff).ok()?);
            bits &= (1 << held) - 1;
        }
    }
    String::from_utf8(bytes).ok()
}

fn sextet(letter: u8) -> Option<u8> {
    match letter {
        b'A'..=b'Z' => Some(letter - b'A'),
        b'a'..=b'z' => Some(letter - b'a' + 26),
        b'0'..=b'9' => Some(letter - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn only_whole_texts_come_out() {
        for (code, expected) in [
            ("aHR0cDovL2RiLmE6ODA=", Some("http://db.a:80")),
            ("YQ==", Some("a")),
            ("YWI=", Some("ab")),
            ("YW\nJj", Some("abc")),
            ("", Some("")),
            ("/////w==", None),
            ("a{{b}}", None),
        ] {
            assert_eq!(decode(code).as_deref(), expected, "{code}");
        }
    }
}
