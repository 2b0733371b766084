//! Random YAML in the layouts that manifests have, and the same with a few characters or lines changed.

use fastrand::Rng;

/// Makes texts, the same ones for a seed.
pub(super) struct Texts {
    random: Rng,
}

const KEYS: &[&str] = &[
    "apiVersion",
    "kind",
    "metadata",
    "annotations",
    "items",
    "sops",
    "name",
    "labels",
    "a",
    "b c",
    "é",
    "\"q\"",
    "'s'",
    "x.y/z",
    "010",
    "yes",
    "a#b",
    "a:b",
    "\"a b\"",
    "-x",
    "k8s.io/é",
    "namespace",
    "spec",
    "data",
];
const RARE_KEYS: &[&str] = &["~", "null", "<<", "a ", "{}", "[a]", "? a", "*a", "&a b", "!t a", "\"a\" ", ""];
/// As manifests have them.
const ORDINARY: &[&str] = &[
    "v1",
    "x",
    "true",
    "10",
    "-1",
    "--flag=a",
    "a b  c",
    "é",
    "\"q\"",
    "'it''s'",
    "\"a\\nb\\\\\\\"\"",
    "''",
    "\"\"",
    "~",
    "http://x:80/#a",
    "a # c",
    "'x' # c",
    "\"x\"   ",
    "x   ",
    "{}",
    "[]",
    "[a, b]",
    "[ \"x\", 'y' ]",
    "{a: b}",
    "{ a: {b: [c, 1.5]}, \"d\": e }",
    "[[], {}] # c",
    "a:b",
    "a#b",
    "$(X)",
    "\"*\"",
    "nginx:1.2",
    "[sh, -c, a b=c]",
    "=",
    "[-1]",
    "a\n      b\n\n        c",
    "[a b , c]",
];
/// As few or none have them.
const RARE: &[&str] = &[
    "*.x",
    "a\tb",
    "\"\\u00e9\"",
    "\"a\\/b\"",
    "<<",
    "[a: b]",
    "{a}",
    "{a:b}",
    "- x",
    "a: b",
    "b:",
    "'a' b",
    "\"a\"#b",
    "&a x",
    "*a",
    "!t x",
    "!!int 3",
    "@x",
    "`x`",
    "%x",
    "? x",
    "| x",
    ">",
    ",x",
    "]",
    "{\"a\":1}",
    "[a,]",
    "[a,b]",
    "[,]",
    "[- a]",
    "[-]",
    "[-,a]",
    "[a #b]",
    "[a#b]",
    "[a : b]",
    "{a : b}",
    "{a: }",
    "[a'b]",
    "[a: b, c]",
    "[a:]",
    "\u{85}",
    "\u{2028}x",
    "\u{feff}",
    "..",
    "...",
    "---",
    "a\n    b: c",
    "a\n   # c\n   d",
    "a # c\n    b",
    "a\n    b #c",
    "a\n    - b",
    "\"a\n  b\"",
    "[a,\n  b]",
];
const HEADERS: &[&str] = &["|", "|-", "|+", ">", ">-", ">+", "| ", "|2", "|-2", "| # c"];
const BODIES: &[&str] = &[
    "x",
    "x y: z",
    "- a",
    "# no comment",
    "é and more than sixteen letters",
    "  deeper",
    "",
    "",
    " ",
    "---",
    "\ttab",
    "{",
    "\"open",
    "...",
];

impl Texts {
    pub(super) fn new(seed: u64) -> Self {
        Self { random: Rng::with_seed(seed) }
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.random.usize(..from.len())]
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.random.usize(..count) == 0
    }

    fn scalar(&mut self, rare: usize) -> &'static str {
        let from = if self.one_in(rare) { RARE } else { ORDINARY };
        self.pick(from)
    }

    fn key(&mut self, rare: usize) -> &'static str {
        let from = if self.one_in(rare) { RARE_KEYS } else { KEYS };
        self.pick(from)
    }

    /// A document in block style.
    pub(super) fn document(&mut self) -> String {
        let mut out = String::new();
        if self.one_in(4) {
            out.push_str("# Source: x\n\n");
        }
        let indent = if self.one_in(12) { 2 } else { 0 };
        self.mapping(&mut out, indent, 0, true);
        match self.random.u8(..8) {
            0 => out.truncate(out.trim_end_matches('\n').len()),
            1 => out.push_str("  # end"),
            2 => out.push_str("   "),
            3 => out.push_str("\n\n"),
            _ => {}
        }
        if self.one_in(40) { out.replace('\n', "\r\n") } else { out }
    }

    fn between(&mut self, out: &mut String) {
        match self.random.u8(..24) {
            0 => out.push('\n'),
            1 => out.push_str("# c\n"),
            2 => out.push_str("      # c: d\n"),
            3 => out.push_str("   \n"),
            _ => {}
        }
    }

    fn mapping(&mut self, out: &mut String, indent: usize, depth: usize, mut is_inline: bool) {
        if depth == 0 {
            is_inline = false;
        }
        for number in 0..self.random.usize(1..5) {
            if number > 0 || !is_inline {
                self.between(out);
                out.push_str(&" ".repeat(indent));
            }
            let key = self.key(400);
            out.push_str(key);
            if number > 0 && !self.one_in(6) {
                // Mostly without repeated keys, which are no error but only a finding.
                out.truncate(out.len() - key.len());
                out.push_str(&format!("k{number}"));
            }
            out.push(':');
            self.node(out, indent, depth);
        }
    }

    /// What follows a colon or, for `indent` of the dash, a dash.
    fn node(&mut self, out: &mut String, indent: usize, depth: usize) {
        match self.random.u8(..14) {
            0..=2 if depth < 5 => {
                let step = self.random.usize(1..5);
                self.end_line(out);
                self.mapping(out, indent + step, depth + 1, false);
            }
            3..=5 if depth < 5 => {
                let step = if self.one_in(2) { 0 } else { self.random.usize(1..4) };
                self.end_line(out);
                self.sequence(out, indent + step, depth + 1, false);
            }
            6 => self.block(out, indent),
            7 => self.end_line(out),
            _ => {
                out.push_str(if self.one_in(10) { "   " } else { " " });
                out.push_str(self.scalar(300));
                out.push('\n');
            }
        }
    }

    fn end_line(&mut self, out: &mut String) {
        out.push_str(if self.one_in(6) { " # c\n" } else { "\n" });
    }

    fn sequence(&mut self, out: &mut String, indent: usize, depth: usize, is_inline: bool) {
        for number in 0..self.random.usize(1..4) {
            if number > 0 || !is_inline {
                self.between(out);
                out.push_str(&" ".repeat(indent));
            }
            out.push('-');
            let blanks = if self.one_in(8) { 3 } else { 1 };
            let inner = indent + 1 + blanks;
            match self.random.u8(..12) {
                0..=4 => {
                    out.push_str(&" ".repeat(blanks));
                    self.mapping(out, inner, depth + 1, true);
                }
                5 if depth < 5 => {
                    out.push_str(&" ".repeat(blanks));
                    self.sequence(out, inner, depth + 1, true);
                }
                6 => self.block(out, indent),
                7 if self.one_in(40) => self.end_line(out),
                _ => {
                    out.push(' ');
                    out.push_str(self.scalar(300));
                    out.push('\n');
                }
            }
        }
    }

    fn block(&mut self, out: &mut String, indent: usize) {
        out.push(' ');
        let count = if self.one_in(200) { HEADERS.len() } else { 6 };
        out.push_str(HEADERS[self.random.usize(..count)]);
        out.push('\n');
        let indent = indent + self.random.usize(1..5) + if self.one_in(30) { 20 } else { 0 };
        for _ in 0..self.random.usize(1..6) {
            let line = self.pick(BODIES);
            if !line.is_empty() || self.one_in(4) {
                out.push_str(&" ".repeat(indent));
            }
            out.push_str(line);
            out.push('\n');
        }
    }

    /// The text with a few characters or lines put in, taken out or moved.
    pub(super) fn changed(&mut self, text: &str) -> String {
        let mut out = text.to_owned();
        for _ in 0..self.random.usize(1..4) {
            if out.is_empty() {
                break;
            }
            out = if self.one_in(3) { self.changed_line(&out) } else { self.changed_letter(&out) };
        }
        out
    }

    fn changed_letter(&mut self, text: &str) -> String {
        const LETTERS: &str = "\t\n  --::?{}[],&*!|>'\"##%@`.~<\\\u{feff}\u{85}é0a";
        let mut letters: Vec<char> = text.chars().collect();
        let at = self.random.usize(..letters.len());
        let rare: Vec<char> = LETTERS.chars().collect();
        match self.random.u8(..4) {
            0 => drop(letters.remove(at)),
            1 => letters[at] = rare[self.random.usize(..rare.len())],
            _ => letters.insert(at, rare[self.random.usize(..rare.len())]),
        }
        letters.into_iter().collect()
    }

    fn changed_line(&mut self, text: &str) -> String {
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        let at = self.random.usize(..lines.len());
        match self.random.u8(..5) {
            0 => drop(lines.remove(at)),
            1 => lines[at].insert_str(0, &" ".repeat(self.random.usize(1..4))),
            2 => lines[at] = lines[at].trim_start_matches(' ').to_owned(),
            3 => lines[at] = lines[at].strip_prefix(' ').unwrap_or(&lines[at]).to_owned(),
            _ => {
                let line = lines[self.random.usize(..lines.len())].clone();
                lines.insert(at, line);
            }
        }
        lines.concat()
    }

    /// Lines that were never meant to stand below each other.
    pub(super) fn scraps(&mut self) -> String {
        let mut out = String::from("a: b\n");
        for _ in 0..self.random.usize(1..7) {
            out.push_str(&" ".repeat([0, 0, 0, 1, 2, 2, 3, 4][self.random.usize(..8)]));
            let key = self.key(8);
            match self.random.u8(..9) {
                0 => out.push_str(&format!("{key}:")),
                1 => out.push_str(&format!("- {key}:")),
                2 => out.push_str(&format!("- {}", self.scalar(3))),
                3 => out.push_str(&format!("- - {}", self.scalar(3))),
                4 => out.push_str(self.scalar(3)),
                5 => out.push_str(&format!("{key}: {}", self.pick(HEADERS))),
                6 => out.push_str(self.pick(&["", "#", "# c", "\t", "-", " -", "- #"])),
                _ => out.push_str(&format!("{key}: {}", self.scalar(3))),
            }
            out.push('\n');
        }
        if self.one_in(4) {
            out.pop();
        }
        out
    }
}

/// Texts at the border of what the line reader takes, and whether it takes them.
pub(super) const BORDERS: &[(&str, bool)] = &[
    ("a: b\nc:\n- d\n- e: f\n  g: |\n    h\n\n    i\n", true),
    ("a:\n  - - b\n    - c\n  - []\nd: {e: f, g: [h, 'i']}\n", true),
    ("a: >-\n  b\n  c\n\n   d\n  e\n# end\n", true),
    ("a: \"b\\n\\\"\" # c\n'd''e': ''\n", true),
    ("é: ü\nb:\n# c\n\nd: ~", true),
    ("a: b\n c\n\n   - d\n", true),
    ("a: b\n c: d\n", false),
    ("a: b\n # c\n d\n", false),
    ("a: b\n\t\n  c\n", false),
    ("a: &x b\nc: *x\n", false),
    ("a: !!str b\n", false),
    ("? a\n: b\n", false),
    ("a: \"b\n  c\"\n", false),
    ("a: [b,\n  c]\n", false),
    ("a: b: c\n", false),
    ("a: |2\n  b\n", false),
    ("a: b\r\nc: d\r\n", false),
    ("a:\tb\n", false),
    ("a:\n- \tb\n", false),
    ("a: [b -, c]\n", false),
    ("a:\n  b: |\n   {\n\t   c\n", false),
    ("a:\n    b: c\n  d: e\n", false),
    ("a:\n  b\n", false),
    ("- a\n", false),
    ("<<: {a: b}\n", false),
];
