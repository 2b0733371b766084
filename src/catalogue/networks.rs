//! The networks a pod asks Multus for, as its annotation lists them.

/// Each network with its namespace, where the text says one: `[namespace/]name[@interface]`, with commas between, or a
/// JSON list of objects with `name` and `namespace`.
#[must_use]
pub fn in_text(text: &str) -> Vec<(Option<String>, String)> {
    let text = text.trim();
    if text.starts_with('[') {
        return in_json(text);
    }
    let one = |entry: &str| {
        let network = entry.trim().split('@').next()?;
        let (namespace, name) = network.split_once('/').map_or((None, network), |(n, name)| (Some(n), name));
        (!name.is_empty()).then(|| (namespace.map(str::to_owned), name.to_owned()))
    };
    text.split(',').filter_map(one).collect()
}

fn in_json(text: &str) -> Vec<(Option<String>, String)> {
    let list: Vec<serde_json::Value> = serde_json::from_str(text).unwrap_or_default();
    let said = |entry: &serde_json::Value, key| entry.get(key)?.as_str().map(str::to_owned);
    list.iter().filter_map(|entry| Some((said(entry, "namespace"), said(entry, "name")?))).collect()
}

#[cfg(test)]
mod tests {
    use super::in_text;

    #[test]
    fn both_forms_of_the_annotation_are_read() {
        for (text, expected) in [
            ("iot", "iot"),
            ("net/iot@eth1, lab ,", "net/iot lab"),
            (
                "[{\"name\": \"iot\", \"namespace\": \"net\"}, {\"name\": \"lab\", \"ips\": [\"10.0.0.1\"]}]",
                "net/iot lab",
            ),
            ("[{\"namespace\": \"net\"}, 1]", ""),
            ("[{broken", ""),
            ("", ""),
        ] {
            let shown = |(namespace, name): &(Option<String>, String)| match namespace {
                Some(namespace) => format!("{namespace}/{name}"),
                None => name.clone(),
            };
            assert_eq!(in_text(text).iter().map(shown).collect::<Vec<_>>().join(" "), expected, "{text}");
        }
    }
}
