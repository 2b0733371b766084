//! Kinds that an object makes without being their CRD: an XRD, a `ResourceGraphDefinition`, a `ConstraintTemplate`.

use crate::catalogue::probes::Fact;
use crate::catalogue::rows::Scope;
use crate::render::Manifest;

/// A kind made at run time.
#[derive(Debug, PartialEq, Eq)]
pub struct MadeKind<'m> {
    /// Its API group.
    pub group: &'m str,
    /// Its name.
    pub kind: &'m str,
    /// Where its objects live; none when only the maker's version would tell.
    pub scope: Option<Scope>,
}

/// The kinds a manifest makes.
pub fn of(manifest: &Manifest) -> impl Iterator<Item = MadeKind<'_>> {
    manifest.facts(Fact::MadeKind).flat_map(move |seen| {
        let group = seen.field("group").or(match manifest.group.as_str() {
            "kro.run" => Some("kro.run"),
            "templates.gatekeeper.sh" => Some("constraints.gatekeeper.sh"),
            _ => None,
        });
        let claim = seen.field("claimNames.kind");
        let own = seen.field("kind").or_else(|| seen.field("names.kind"));
        let scope = match (seen.field("scope"), manifest.group.as_str()) {
            (Some("Cluster" | "LegacyCluster"), _) | (None, "templates.gatekeeper.sh") => {
                Some(Scope::Cluster)
            }
            (Some(_), _) | (None, "kro.run") => Some(Scope::Namespaced),
            // Only an XRD of version 1 has claims, and its own kind is of cluster scope.
            (None, _) => claim.map(|_| Scope::Cluster),
        };
        let own = own.map(|kind| (kind, scope));
        let claim = claim.map(|kind| (kind, Some(Scope::Namespaced)));
        own.into_iter()
            .chain(claim)
            .filter_map(move |(kind, scope)| Some(MadeKind { group: group?, kind, scope }))
    })
}
