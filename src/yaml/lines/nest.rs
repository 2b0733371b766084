//! Which block collections are open, by their indentation, and what a line does to them.

/// One open mapping or sequence.
#[derive(Debug, Clone, Copy)]
struct Open {
    indent: usize,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Mapping,
    Sequence,
    /// A sequence whose dashes stand below the key it belongs to.
    Indentless,
}

/// What a line does to the collections around it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// How many collections stay open.
    pub(super) keep: usize,
    /// Whether the last key gets no value.
    pub(super) ends_value: bool,
    /// Whether the line begins a collection.
    pub(super) opens: bool,
    pub(super) is_indentless: bool,
}

/// The open collections, outermost first.
#[derive(Debug, Default)]
pub(super) struct Nest {
    open: Vec<Open>,
    /// Whether the innermost mapping has a key whose value has not come yet.
    pub(super) awaits_value: bool,
}

impl Nest {
    /// What a key or a dash in column `indent` does, or `None` where it does not fit.
    pub(super) fn step(&self, indent: usize, is_dash: bool) -> Option<Step> {
        let Some(innermost) = self.open.last() else {
            return (!is_dash).then_some(Step {
                keep: 0,
                ends_value: false,
                opens: true,
                is_indentless: false,
            });
        };
        let depth = self.open.len();
        if self.awaits_value && (indent > innermost.indent || indent == innermost.indent && is_dash) {
            let is_indentless = indent == innermost.indent;
            return Some(Step { keep: depth, ends_value: false, opens: true, is_indentless });
        }
        let mut keep = self.open.iter().rposition(|open| open.indent <= indent)? + 1;
        if self.open[keep - 1].kind == Kind::Indentless && !is_dash {
            keep -= 1;
        }
        let around = self.open[keep - 1];
        let fits = around.indent == indent && is_dash == (around.kind != Kind::Mapping);
        fits.then_some(Step { keep, ends_value: self.awaits_value, opens: false, is_indentless: false })
    }

    /// The indentation of the innermost collection; what stands further right belongs into it.
    pub(super) fn indent(&self) -> usize {
        self.open.last().map_or(0, |open| open.indent)
    }

    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(super) fn open_mapping(&mut self, indent: usize) {
        self.open.push(Open { indent, kind: Kind::Mapping });
    }

    pub(super) fn open_sequence(&mut self, indent: usize, is_indentless: bool) {
        let kind = if is_indentless { Kind::Indentless } else { Kind::Sequence };
        self.open.push(Open { indent, kind });
    }

    /// Closes the innermost collection and says whether it was a sequence.
    pub(super) fn close(&mut self) -> bool {
        self.open.pop().is_some_and(|open| open.kind != Kind::Mapping)
    }
}
