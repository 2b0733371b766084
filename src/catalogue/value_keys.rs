//! The rows of names in values, found by the last key of a path.

use std::collections::HashMap;

use super::ValueRow;

/// A key of a row: what stands before the last one, the nearest first, and the row.
type Tail = (Vec<String>, usize);

/// Rows by the last of their keys.
#[derive(Debug, Default)]
pub struct ValueKeys {
    by_last: HashMap<String, Vec<Tail>>,
}

impl ValueKeys {
    /// The keys of all rows, the longest first: the more of a path a row knows, the better it knows what it means.
    #[must_use]
    pub fn new(rows: &[ValueRow]) -> Self {
        let mut all: Vec<(Vec<String>, usize)> = Vec::new();
        for (index, row) in rows.iter().enumerate() {
            let of_key = |key: &String| {
                let parts = if key.contains('/') { vec![key.as_str()] } else { key.rsplit('.').collect() };
                (parts.into_iter().map(str::to_owned).collect(), index)
            };
            all.extend(row.keys.iter().map(of_key));
        }
        all.sort_by_key(|(parts, _)| std::cmp::Reverse(parts.len()));
        let mut keys = Self::default();
        for (mut parts, row) in all {
            let last = parts.remove(0);
            keys.by_last.entry(last).or_default().push((parts, row));
        }
        keys
    }

    /// The rows that read the value at a path, those that know most of it first.
    pub fn rows_at<'k>(&'k self, path: &'k [&str]) -> impl Iterator<Item = usize> + 'k {
        let tails = path.last().and_then(|last| self.by_last.get(*last));
        let before = &path[..path.len().saturating_sub(1)];
        tails.into_iter().flatten().filter(move |(parts, _)| is_tail(parts, before)).map(|(_, row)| *row)
    }
}

fn is_tail(parts: &[String], before: &[&str]) -> bool {
    let fits = |(part, key): (&String, &&str)| part == "*" || part == key;
    parts.len() <= before.len() && parts.iter().zip(before.iter().rev()).all(fits)
}
