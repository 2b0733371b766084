//! Runs the Lua as Argo CD does: Lua 5.1 without its string library, the object as `obj`, a table with status and message
//! as result (argo-cd util/lua/lua.go).

use mlua::LuaSerdeExt;
use serde_json::{Value, json};

use super::{APPLICATION, APPLICATION_SET, CRD, KIND};
use crate::load::targets::merge;

pub(super) fn health(script: &str, object: &Value) -> (String, String) {
    let libraries = mlua::StdLib::PACKAGE | mlua::StdLib::TABLE | mlua::StdLib::OS;
    let lua = mlua::Lua::new_with(libraries, mlua::LuaOptions::default()).unwrap();
    let options = mlua::SerializeOptions::new().serialize_none_to_null(false).set_array_metatable(false);
    lua.globals().set("obj", lua.to_value_with(object, options).unwrap()).unwrap();
    let result: mlua::Table = lua.load(script).eval().unwrap();
    (result.get("status").unwrap(), result.get("message").unwrap())
}

/// A child that is synced, healthy and up to date.
fn child() -> Value {
    let source = json!({
        "repoURL": "https://g", "path": ".", "targetRevision": "main",
        "plugin": {"name": "argocd-ladder", "parameters": [{"name": "content-hash", "string": "1"}]},
    });
    let destination = json!({"server": "https://s", "namespace": "n"});
    json!({
        "metadata": {"name": "a"},
        "spec": {"source": source, "destination": destination, "syncPolicy": {"automated": {"prune": true}}},
        "status": {
            "health": {"status": "Healthy"},
            "sync": {"status": "Synced", "comparedTo": {"source": source, "destination": destination}},
            "operationState": {"phase": "Succeeded", "syncResult": {"source": source}},
        },
    })
}

#[test]
fn a_child_is_healthy_only_when_its_state_is_about_its_spec() {
    let new_content = json!([{"name": "content-hash", "string": "2"}]);
    for (case, change, expected) in [
        ("up to date", json!({}), "Healthy"),
        ("no status", json!({"status": null}), "Progressing"),
        ("no health", json!({"status": {"health": null}}), "Progressing"),
        ("older source", json!({"spec": {"source": {"targetRevision": "v2"}}}), "Progressing"),
        (
            "older content",
            json!({"spec": {"source": {"plugin": {"parameters": new_content}}}}),
            "Progressing",
        ),
        ("older destination", json!({"spec": {"destination": {"namespace": "m"}}}), "Progressing"),
        (
            "now several sources",
            json!({"spec": {"source": null, "sources": [{"repoURL": "https://g"}]}}),
            "Progressing",
        ),
        ("never compared", json!({"status": {"sync": {"comparedTo": null}}}), "Progressing"),
        ("empty fields are absent ones", json!({"spec": {"source": {"helm": {}, "chart": ""}}}), "Healthy"),
        (
            "a refresh is due",
            json!({"metadata": {"annotations": {"argocd.argoproj.io/refresh": "normal"}}}),
            "Progressing",
        ),
        ("a sync runs", json!({"status": {"operationState": {"phase": "Running"}}}), "Progressing"),
        ("a sync is asked for", json!({"operation": {"sync": {}}}), "Progressing"),
        ("out of sync", json!({"status": {"sync": {"status": "OutOfSync"}}}), "Progressing"),
        (
            "out of sync by hand",
            json!({"status": {"sync": {"status": "OutOfSync"}}, "spec": {"syncPolicy": {"automated": {"enabled": false}}}}),
            "Healthy",
        ),
        ("found in sync, so never synced", json!({"status": {"operationState": null}}), "Healthy"),
        (
            "its manifests cannot be made",
            json!({"status": {"conditions": [{"type": "ComparisonError", "message": "no"}]}}),
            "Progressing",
        ),
        ("degraded", json!({"status": {"health": {"status": "Degraded"}}}), "Degraded"),
        ("suspended", json!({"status": {"health": {"status": "Suspended"}}}), "Suspended"),
    ] {
        let mut object = child();
        merge(&mut object, &change);
        assert_eq!(health(APPLICATION, &object).0, expected, "{case}");
    }
}

#[test]
fn a_failed_sync_counts_while_it_is_the_present_one() {
    for (case, change, expected) in [
        (
            "its sync failed",
            json!({"status": {"sync": {"status": "OutOfSync"}, "operationState": {"phase": "Failed", "message": "no"}}}),
            "Degraded",
        ),
        (
            "an older sync failed",
            json!({"status": {
                "sync": {"status": "OutOfSync"},
                "operationState": {"phase": "Failed", "syncResult": {"source": {"targetRevision": "v1"}}},
            }}),
            "Progressing",
        ),
        (
            "its sync failed after everything was applied",
            json!({"status": {"operationState": {"phase": "Failed", "message": "a PostSync hook failed"}}}),
            "Degraded",
        ),
        ("its sync broke off", json!({"status": {"operationState": {"phase": "Error"}}}), "Degraded"),
        (
            "its sync by hand failed",
            json!({"spec": {"syncPolicy": null}, "status": {"operationState": {"phase": "Failed"}}}),
            "Degraded",
        ),
        (
            "a failed sync is tried again",
            json!({"operation": {"sync": {}}, "status": {"operationState": {"phase": "Failed"}}}),
            "Progressing",
        ),
        (
            "an older revision failed, the present one needs no sync",
            json!({"status": {
                "sync": {"revision": "b"},
                "operationState": {"phase": "Failed", "syncResult": {"revision": "a"}},
            }}),
            "Healthy",
        ),
        (
            "an older revision failed, the present one is to come",
            json!({"status": {
                "sync": {"revision": "b", "status": "OutOfSync"},
                "operationState": {"phase": "Failed", "syncResult": {"revision": "a"}},
            }}),
            "Progressing",
        ),
    ] {
        let mut object = child();
        merge(&mut object, &change);
        assert_eq!(health(APPLICATION, &object).0, expected, "{case}");
    }
}

/// A child of several sources as Argo CD v3.5.3 writes it: a source without a repository stands beside the sources.
fn child_of_sources() -> Value {
    let sources = json!([
        {"repoURL": "https://g", "chart": "c", "targetRevision": "1.0.0", "helm": {"valuesObject": {"on": true}}},
        {"repoURL": "https://g", "ref": "values"},
    ]);
    let nothing = json!({"repoURL": ""});
    let mut object = child();
    merge(&mut object, &json!({"spec": {"source": null}}));
    object["spec"]["sources"] = sources.clone();
    for pointer in ["/status/sync/comparedTo", "/status/operationState/syncResult"] {
        let place = object.pointer_mut(pointer).unwrap();
        place["source"] = nothing.clone();
        place["sources"] = sources.clone();
    }
    object
}

#[test]
fn of_several_sources_only_they_count() {
    let failed = |first: &Value| {
        let mut sources = child_of_sources()["spec"]["sources"].clone();
        merge(&mut sources[0], first);
        json!({"status": {"operationState": {"phase": "Failed", "syncResult": {"sources": sources}}}})
    };
    let mut older = child_of_sources()["spec"]["sources"].clone();
    older[0]["targetRevision"] = json!("0.9.0");
    for (case, change, expected) in [
        ("up to date", json!({}), "Healthy"),
        ("older sources", json!({"status": {"sync": {"comparedTo": {"sources": older}}}}), "Progressing"),
        (
            "now one source",
            json!({"spec": {"sources": null, "source": {"repoURL": "https://g", "chart": "c"}}}),
            "Progressing",
        ),
        ("its sync failed", failed(&json!({})), "Degraded"),
        ("an older sync failed", failed(&json!({"targetRevision": "0.9.0"})), "Healthy"),
    ] {
        let mut object = child_of_sources();
        merge(&mut object, &change);
        assert_eq!(health(APPLICATION, &object).0, expected, "{case}");
    }
}

#[test]
fn values_are_compared_to_the_letter() {
    for (case, compared, spec, expected) in [
        ("the same", json!({"on": false}), json!({"on": false}), "Healthy"),
        ("off is not unsaid", json!({}), json!({"on": false}), "Progressing"),
        ("empty is not unsaid", json!({"a": {"b": "x"}}), json!({"a": {"b": "x", "c": ""}}), "Progressing"),
        ("off is not empty", json!({"on": ""}), json!({"on": false}), "Progressing"),
    ] {
        let mut object = child();
        let values = |values: Value| json!({"helm": {"valuesObject": values, "skipCrds": false}});
        merge(&mut object, &json!({"spec": {"source": values(spec)}}));
        merge(&mut object, &json!({"status": {"sync": {"comparedTo": {"source": values(compared)}}}}));
        object
            .pointer_mut("/status/sync/comparedTo/source/helm")
            .unwrap()
            .as_object_mut()
            .unwrap()
            .remove("skipCrds");
        assert_eq!(health(APPLICATION, &object).0, expected, "{case}");
    }
}

#[test]
fn a_custom_kind_is_healthy_when_it_says_so() {
    let condition =
        |kind: &str, status: &str| json!({"status": {"conditions": [{"type": kind, "status": status}]}});
    for (case, object, expected) in [
        ("no status", json!({}), "Progressing"),
        ("empty status", json!({"status": {}}), "Progressing"),
        ("ready", condition("Ready", "True"), "Healthy"),
        ("not ready", condition("Ready", "False"), "Progressing"),
        ("available", condition("Available", "True"), "Healthy"),
        ("failed", condition("Failed", "True"), "Degraded"),
        ("unknown condition", condition("Other", "True"), "Progressing"),
        ("phase", json!({"status": {"phase": "Running"}}), "Healthy"),
        ("state in capitals", json!({"status": {"state": "READY"}}), "Healthy"),
        ("failed phase", json!({"status": {"phase": "Failed"}}), "Degraded"),
        ("pending phase", json!({"status": {"phase": "Pending"}}), "Progressing"),
        ("not ready by a field", json!({"status": {"ready": false}}), "Progressing"),
        ("ready by a field", json!({"status": {"ready": true}}), "Healthy"),
        ("a report without a state", json!({"status": {"replicas": 1}}), "Healthy"),
        (
            "an old report",
            json!({"metadata": {"generation": 2}, "status": {"observedGeneration": 1, "phase": "Running"}}),
            "Progressing",
        ),
    ] {
        assert_eq!(health(KIND, &object).0, expected, "{case}");
    }
}

#[test]
fn a_set_is_healthy_only_when_all_its_applications_are() {
    let up_to_date = json!([{"type": "ResourcesUpToDate", "status": "True"}]);
    let application = |name: &str, sync: &str, health: &str| json!({"name": name, "status": sync, "health": {"status": health}});
    let fine = application("a", "Synced", "Healthy");
    for (case, status, expected) in [
        ("no status", json!(null), "Progressing"),
        ("made, but not listed yet", json!({"conditions": up_to_date}), "Progressing"),
        ("listed, but not made yet", json!({"resources": [fine]}), "Progressing"),
        ("all fine", json!({"conditions": up_to_date, "resources": [fine, fine]}), "Healthy"),
        (
            "one is on its way",
            json!({"conditions": up_to_date, "resources": [fine, application("b", "Synced", "Progressing")]}),
            "Progressing",
        ),
        (
            "one is healthy but of old",
            json!({"conditions": up_to_date, "resources": [application("b", "OutOfSync", "Healthy"), fine]}),
            "Progressing",
        ),
        ("nobody looked yet", json!({"conditions": up_to_date, "resources": [{"name": "b"}]}), "Progressing"),
        (
            "one is degraded",
            json!({"conditions": up_to_date, "resources": [fine, application("b", "Synced", "Degraded")]}),
            "Degraded",
        ),
        (
            "its generator fails",
            json!({"conditions": [{"type": "ErrorOccurred", "status": "True", "message": "m"}], "resources": [fine]}),
            "Degraded",
        ),
    ] {
        let mut set = json!({"kind": "ApplicationSet"});
        merge(&mut set, &json!({"status": status}));
        assert_eq!(health(APPLICATION_SET, &set).0, expected, "{case}");
    }
}

#[test]
fn a_crd_is_healthy_once_established_and_never_degraded_before() {
    let condition = |kind: &str, status: &str| json!({"type": kind, "status": status, "message": "m"});
    for (case, status, expected) in [
        ("just made", json!({}), "Progressing"),
        (
            "approved, not established",
            json!({"conditions": [condition("KubernetesAPIApprovalPolicyConformant", "True")]}),
            "Progressing",
        ),
        (
            "established",
            json!({"conditions": [condition("NamesAccepted", "True"), condition("Established", "True")]}),
            "Healthy",
        ),
        (
            "its names are taken",
            json!({"conditions": [condition("NamesAccepted", "False"), condition("Established", "False")]}),
            "Degraded",
        ),
    ] {
        assert_eq!(health(CRD, &json!({"status": status})).0, expected, "{case}");
    }
}
