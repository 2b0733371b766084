//! The nouns every step shares: no I/O, no processes, nothing that decides.

pub mod component;
pub use component::{Component, ComponentIndex, Declared, DependsOn, Place, Provision, Tool};

pub mod role;
pub use role::Role;

pub mod origin;
pub use origin::Origin;

pub mod resource;
pub use resource::{Chart, NAMESPACES_OF_EVERY_CLUSTER, Resource, ResourceId, ResourceIndex};

pub mod edge;
pub use edge::{Dropped, Edge, End, Gate, Reason, Strength};

pub mod barrier;
pub use barrier::Barrier;

pub mod duration;

pub mod fingerprint;
pub use fingerprint::Fingerprint;

pub mod one_or_many;
pub use one_or_many::{OneOrMany, one_or_many};

pub mod phase;
pub use phase::{Domain, MaxUpdate, Phase, Rung, Rungs, Selector};

pub mod finding;
pub use finding::{Finding, Level};

pub mod ladder;
pub use ladder::{AppliedFix, Ladder, Placement, Step};
