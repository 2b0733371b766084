//! What comes into being because of a resource, by the rows that say what is made.

use super::namespaced::{self, Said};
use super::reference::{holds, is_name};
use super::scene::Scene;
use crate::catalogue::matcher::Capture;
use crate::catalogue::{MakesRow, ProbeKind};
use crate::hosts;
use crate::model::{Resource, ResourceId};

/// Everything that comes into being because of a resource.
pub fn by<'a>(scene: &'a Scene<'a>, resource: &'a Resource) -> impl Iterator<Item = ResourceId> + 'a {
    let rows = scene.catalogue.makes_of(&resource.id.group, &resource.id.kind);
    rows.flat_map(move |number| {
        by_row(&Maker { scene, resource, row: scene.catalogue.makes(number) }, number)
    })
}

/// Who makes something, by which row.
struct Maker<'a> {
    scene: &'a Scene<'a>,
    resource: &'a Resource,
    row: &'a MakesRow,
}

fn by_row(maker: &Maker<'_>, number: usize) -> Vec<ResourceId> {
    let row = maker.row;
    if row.path.is_none() {
        return maker.made(row.name.as_deref().unwrap_or("{name}"), None);
    }
    let is_its = |capture: &&Capture| capture.kind == ProbeKind::Makes(number);
    let mut seen = maker.resource.manifest.captures.iter().filter(is_its).peekable();
    if seen.peek().is_none() {
        return row.absent.as_ref().map_or_else(Vec::new, |template| maker.made(template, None));
    }
    let template = row.name.as_deref().unwrap_or("{value}");
    seen.filter(|capture| holds(capture, &row.when, &row.unless))
        .flat_map(|capture| maker.made(template, Some(capture)))
        .collect()
}

impl Maker<'_> {
    fn made(&self, template: &str, capture: Option<&Capture>) -> Vec<ResourceId> {
        let row = self.row;
        let field =
            |key: &str| row.fields.get(key).and_then(|path| capture.and_then(|capture| capture.field(path)));
        let value = capture.and_then(|capture| capture.value.as_deref()).or_else(|| field("name"));
        if template.contains("{value}") && value.is_none_or(str::is_empty) {
            let other = row.absent.as_ref().filter(|absent| *absent != template);
            return other.map_or_else(Vec::new, |absent| self.made(absent, capture));
        }
        // No object's name holds an underscore: makers write a dash for one of a user's or database's name.
        let plain = |text: &str| text.replace('_', "-");
        let name = template
            .replace("{name}", &self.resource.id.name)
            .replace("{namespace}", &self.resource.id.namespace)
            .replace("{key}", &plain(capture.map(|capture| capture.key.as_str()).unwrap_or_default()))
            .replace("{value}", &plain(value.unwrap_or_default()));
        let made = &row.makes;
        let id = |namespace: &str| ResourceId::new(&made.group, &made.kind, namespace, &name);
        let namespaces = self.namespaces(capture);
        namespaces.into_iter().filter(|_| is_name(&name)).map(id).collect()
    }

    /// Where it is made: a field may list several places; patterns among them name none.
    fn namespaces<'c>(&'c self, capture: Option<&'c Capture>) -> Vec<&'c str> {
        let path = self.row.fields.get("namespace");
        let said = capture.zip(path).into_iter().flat_map(|(capture, path)| capture.all(path));
        let listed: Vec<&str> = said.flat_map(|text| text.split(',')).map(str::trim).collect();
        let own = |field| {
            let said = Said { rule: &self.row.namespace, field, in_text: None, to: &self.row.makes };
            namespaced::of(self.scene, self.resource, said)
        };
        match listed[..] {
            [] => vec![own(None)],
            _ => listed.into_iter().filter(|one| hosts::is_dns_name(one)).map(|one| own(Some(one))).collect(),
        }
    }
}
