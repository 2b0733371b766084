//! Calls → YAML text in one of the styles manifests are found in: a chart's, kustomize's, or by hand.

use std::fmt::Display;

/// Who seems to have written the manifests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `# Source:` comments; sequences are indented.
    Chart,
    /// No comments; sequences stand below their key.
    Kustomize,
    /// Comments, anchors, indented sequences.
    Hand,
}

impl Style {
    pub(crate) fn of(number: usize) -> Self {
        [Self::Chart, Self::Kustomize, Self::Hand][number % 3]
    }
}

/// Text that grows line by line; nesting follows the closures.
pub(crate) struct Writer {
    text: String,
    style: Style,
    column: usize,
    /// Columns of the current line that dashes have filled already.
    dashed: Option<usize>,
    documents: usize,
}

impl Writer {
    pub(crate) fn new(style: Style) -> Self {
        Self { text: String::new(), style, column: 0, dashed: None, documents: 0 }
    }

    pub(crate) fn style(&self) -> Style {
        self.style
    }

    pub(crate) fn documents(&self) -> usize {
        self.documents
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// One object with its head; `source` is what a chart's output would name.
    pub(crate) fn document(&mut self, source: &str, body: impl FnOnce(&mut Self)) {
        if self.documents > 0 || self.style == Style::Chart {
            self.text.push_str("---\n");
        }
        if self.style == Style::Chart {
            self.comment(&format!("Source: {source}"));
        }
        self.documents += 1;
        body(self);
    }

    pub(crate) fn comment(&mut self, comment: &str) {
        self.line(&format!("# {comment}"));
    }

    pub(crate) fn set(&mut self, key: &str, value: impl Display) {
        self.line(&format!("{key}: {value}"));
    }

    pub(crate) fn quoted(&mut self, key: &str, value: impl Display) {
        self.line(&format!("{key}: \"{value}\""));
    }

    pub(crate) fn map(&mut self, key: &str, body: impl FnOnce(&mut Self)) {
        self.anchored_map(key, "", body);
    }

    /// A mapping with ` &anchor`, or nothing, behind its key.
    pub(crate) fn anchored_map(&mut self, key: &str, anchor: &str, body: impl FnOnce(&mut Self)) {
        self.line(&format!("{key}:{anchor}"));
        self.nested(2, body);
    }

    pub(crate) fn list(&mut self, key: &str, body: impl FnOnce(&mut Self)) {
        self.line(&format!("{key}:"));
        self.nested(if self.style == Style::Kustomize { 0 } else { 2 }, body);
    }

    /// An item that is a mapping.
    pub(crate) fn item(&mut self, body: impl FnOnce(&mut Self)) {
        self.indent();
        self.text.push_str("- ");
        self.dashed = Some(self.column + 2);
        self.nested(2, body);
    }

    /// An item that is a scalar.
    pub(crate) fn entry(&mut self, value: impl Display) {
        self.line(&format!("- {value}"));
    }

    /// A block scalar; `head` is its indicator.
    pub(crate) fn block(&mut self, key: &str, head: &str, text: &str) {
        self.line(&format!("{key}: {head}"));
        self.nested(2, |writer| text.lines().for_each(|line| writer.line(line)));
    }

    /// A plain scalar over several lines.
    pub(crate) fn folded(&mut self, key: &str, lines: &[String]) {
        self.line(&format!("{key}: {}", lines[0]));
        self.nested(2, |writer| lines[1..].iter().for_each(|line| writer.line(line)));
    }

    fn nested(&mut self, columns: usize, body: impl FnOnce(&mut Self)) {
        self.column += columns;
        body(self);
        self.column -= columns;
    }

    fn line(&mut self, line: &str) {
        if !line.is_empty() {
            self.indent();
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    fn indent(&mut self) {
        let filled = self.dashed.take().unwrap_or(0);
        self.text.extend(std::iter::repeat_n(' ', self.column - filled));
    }
}
