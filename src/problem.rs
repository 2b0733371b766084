//! Why we cannot go on: place first, the fact, then the edit that helps.

use std::fmt;

use crate::message::credentials::without_credentials;
use crate::message::printable;

/// One thing that stops a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The kind of problem, in kebab case: what a reader or a program looks for.
    pub rule: &'static str,
    /// `file:line:column` as far as known.
    pub place: Option<String>,
    /// The fact.
    pub message: String,
    /// The edit that helps.
    pub help: Option<String>,
}

impl Problem {
    /// A problem without a place.
    #[must_use]
    pub fn new(rule: &'static str, message: impl Into<String>) -> Self {
        Self { rule, place: None, message: shown(message), help: None }
    }

    /// Says where.
    #[must_use]
    pub fn at(mut self, place: impl fmt::Display) -> Self {
        self.place = Some(place.to_string());
        self
    }

    /// Says what to edit.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(shown(help));
        self
    }
}

/// What is shown of a text: no address in it signs anybody in.
fn shown(text: impl Into<String>) -> String {
    without_credentials(&text.into()).into_owned()
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{}: ", printable::line(place))?;
        }
        write!(f, "error[{}]: {}", self.rule, printable::lines(&self.message))?;
        if let Some(help) = &self.help {
            write!(f, "\n  help: {}", printable::lines(help))?;
        }
        Ok(())
    }
}

/// Everything that stopped a run, at least one problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems(pub Vec<Problem>);

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, problem) in self.0.iter().enumerate() {
            if number > 0 {
                writeln!(f)?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// The known word nearest to a misspelt one, if one is near enough to be meant.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.len().max(word.len()) / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The known name one of whose parts is near a misspelt word: `vualt` for `platform-vault`.
fn nearest_part<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = |name: &&str| {
        let parts = name.split(['-', '.', '/']).filter(|part| part.len() > 2);
        nearest(word, parts).is_some()
    };
    known.into_iter().filter(near).min_by_key(|name| name.len())
}

/// A help text that suggests the nearest known word, or lists what there is.
#[must_use]
pub fn suggestion<'a>(word: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    if let Some(near) = nearest(word, known.clone()).or_else(|| nearest_part(word, known.clone())) {
        format!("did you mean `{near}`?")
    } else {
        let all: Vec<&str> = known.into_iter().take(50).collect();
        if all.is_empty() {
            return "there are none here".to_owned();
        }
        format!("known are {}", all.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_word_is_suggested_and_a_far_one_is_not() {
        let known = ["runtime", "config", "post-runtime"];
        assert_eq!(nearest("runtiem", known), Some("runtime"));
        assert_eq!(nearest("Config", known), Some("config"));
        assert_eq!(nearest("elephant", known), None);
    }

    #[test]
    fn a_part_of_a_name_is_enough_for_a_suggestion() {
        let known = ["platform-vault-config", "platform-vault", "data-redis"];
        assert_eq!(suggestion("vualt", known), "did you mean `platform-vault`?");
        assert!(suggestion("elephant", known).starts_with("known are "));
        assert_eq!(suggestion("elephant", []), "there are none here");
    }
}
