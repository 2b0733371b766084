//! What the way a node is written says about it, and where yaml-rust2 and Go part: empty block scalars at the
//! end of the text, tabs, escapes, and the place of a block mapping.

use yaml_rust2::parser::{Event as Raw, Tag};
use yaml_rust2::scanner::TScalarStyle;

use super::outline::Shape;
use super::patch;
use super::read::Stop;
use super::reader::Reader;
use super::scalar::{GoValue, go_value};
use super::source::Source;
use super::{Mark, Sink, YamlError};

impl<S: Sink> Reader<'_, S> {
    /// Refuses a block scalar that begins with a tab, and corrects the last one of the text.
    pub(super) fn end_block<I: Iterator<Item = char>>(
        &mut self,
        text: &mut String,
        mark: Mark,
        source: &mut Source<'_, I>,
    ) -> Result<(), Stop> {
        let (_, next) = source.peek()?;
        let whole = self.chunk.text();
        let at = self.at(mark);
        if text.trim_start_matches('\n').starts_with('\t') && self.tab_begins_block(at) {
            let message =
                "a block text that begins with a tab is refused by Argo CD, write `|2` for its indentation";
            return Err(YamlError::at(mark, message).into());
        }
        if whole[self.at(next)..].trim().is_empty() {
            self.end_last_block(text, mark);
        }
        Ok(())
    }

    /// A block scalar that nothing follows: where it is empty, yaml-rust2 makes a line break of it.
    pub(super) fn end_last_block(&mut self, text: &mut String, mark: Mark) {
        if patch::ends_with_empty_block(self.chunk.text(), self.at(mark)) {
            text.clear();
        }
    }

    fn tab_begins_block(&self, at: usize) -> bool {
        let digit = |indicators: &str| indicators.contains(|indicator: char| indicator.is_ascii_digit());
        patch::block_header(self.chunk.text(), at).is_some_and(|(_, indicators)| !digit(indicators))
    }

    pub(super) fn refuse_slash_escape(&self, mark: Mark) -> Result<(), YamlError> {
        let text = self.chunk.text();
        let start = self.at(mark);
        let end = patch::quote_end(text.as_bytes(), start).unwrap_or(text.len());
        let mut escapes = text[start..end].char_indices().filter(|&(_, letter)| letter == '\\');
        let mut after = 0;
        while let Some((at, _)) = escapes.find(|&(at, _)| at >= after) {
            if text[start + at..].starts_with("\\/") {
                return Err(YamlError::at(mark, "the escape `\\/` is refused by Argo CD, write `/`"));
            }
            after = at + 2;
        }
        Ok(())
    }

    /// Where a mapping begins and how; yaml-rust2 places a block mapping at the colon of its first key.
    pub(super) fn mapping_place<I: Iterator<Item = char>>(
        &mut self,
        mark: Mark,
        source: &mut Source<'_, I>,
    ) -> Result<(Mark, Shape), Stop> {
        if self.chunk.text()[self.at(mark)..].starts_with('{') {
            return Ok((mark, Shape::FlowMapping));
        }
        let shape = if self.is_in_brackets() { Shape::FlowPair } else { Shape::BlockMapping };
        match source.peek()? {
            (Raw::Scalar(..) | Raw::Alias(_), first) => Ok((first, shape)),
            _ => Ok((mark, shape)),
        }
    }

    /// How a scalar is written, as far as a splice may want to know.
    pub(super) fn shape(&self, text: &str, style: TScalarStyle, mark: Mark) -> Shape {
        if !self.tracker.is_watched() {
            return Shape::Lines;
        }
        match style {
            TScalarStyle::Plain => match go_value(text) {
                GoValue::Null => Shape::Null(u8::try_from(text.len()).unwrap_or(u8::MAX)),
                _ if self.chunk.text()[self.at(mark)..].starts_with(text) => {
                    u32::try_from(text.len()).map_or(Shape::Lines, Shape::Plain)
                }
                _ => Shape::Lines,
            },
            TScalarStyle::SingleQuoted | TScalarStyle::DoubleQuoted if text.is_empty() => Shape::EmptyText,
            TScalarStyle::SingleQuoted | TScalarStyle::DoubleQuoted => Shape::Quoted,
            TScalarStyle::Literal | TScalarStyle::Folded => Shape::Lines,
        }
    }
}

/// Whether a scalar is subject to type resolution, and whether it is base64.
pub(super) fn meaning(style: TScalarStyle, tag: Option<&Tag>) -> (bool, bool) {
    let Some(tag) = tag else { return (style == TScalarStyle::Plain, false) };
    if tag.handle != "tag:yaml.org,2002:" {
        return (false, false);
    }
    (matches!(tag.suffix.as_str(), "int" | "float" | "bool" | "null" | "merge"), tag.suffix == "binary")
}
