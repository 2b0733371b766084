//! One wait of a descriptor → the init container that does it.
//!
//! It runs without privileges, so that it starts in any namespace, and gives up after its tries, so that a pod that
//! waits in vain is seen.

use serde_json::{Value, json};

use super::name;
use crate::load::hooks::{GateSettings, WaitForSetting};
use crate::model::duration;

/// Seconds that one request may take, if the interval leaves them.
const REQUEST: u64 = 5;

/// Tries, then gives up; `CHECK` stands for the command. A try that takes its time sleeps only for the rest of the
/// interval, so that all tries take what they are said to take. Backticks, because Kubernetes reads `$(`.
const SCRIPT: &str = "for try in `seq $TRIES`; do
  began=`date +%s`
  if CHECK; then exit 0; fi
  echo \"waiting for $TARGET ($try of $TRIES)\"
  now=`date +%s`
  rest=`expr $PAUSE + $began - $now`
  if [ $rest -gt 0 ]; then sleep $rest; fi
done
echo \"gave up waiting for $TARGET\" >&2
exit 1
";

/// The init container of a wait.
#[must_use]
pub fn container(wait: &WaitForSetting, settings: &GateSettings) -> Value {
    let image = if wait.resource.is_some() { &settings.kubectl_image } else { &settings.image };
    let (tries, pause) = budget(wait, settings);
    let (target, check) = target(wait, pause.min(REQUEST));
    let mut variables = vec![
        json!({"name": "TARGET", "value": target}),
        json!({"name": "TRIES", "value": tries.to_string()}),
        json!({"name": "PAUSE", "value": pause.to_string()}),
    ];
    if let Some((host, port)) = wait.tcp.as_ref().and_then(|address| address.rsplit_once(':')) {
        variables.push(json!({"name": "HOST", "value": host}));
        variables.push(json!({"name": "PORT", "value": port}));
    }
    if let Some(resource) = &wait.resource {
        variables.push(json!({"name": "CONDITION", "value": resource.condition}));
        if let Some(namespace) = &resource.namespace {
            variables.push(json!({"name": "NAMESPACE", "value": namespace}));
        }
    }
    json!({
        "name": wait.name.clone().unwrap_or_else(|| name::of_target(&target)),
        "image": wait.image.as_ref().unwrap_or(image),
        "command": ["sh", "-c", SCRIPT.replace("CHECK", &check)],
        "env": variables,
        "resources": {"requests": {"cpu": "10m", "memory": "16Mi"}, "limits": {"memory": "64Mi"}},
        "securityContext": {
            "runAsNonRoot": true,
            "runAsUser": 65534,
            "allowPrivilegeEscalation": false,
            "readOnlyRootFilesystem": true,
            "capabilities": {"drop": ["ALL"]},
            "seccompProfile": {"type": "RuntimeDefault"},
        },
    })
}

/// Tries and the seconds between them.
#[must_use]
pub fn budget(wait: &WaitForSetting, settings: &GateSettings) -> (u32, u64) {
    let text = wait.interval.as_ref().unwrap_or(&settings.interval);
    let seconds =
        duration::parse(text).map_or(5, |length| length.as_secs() + u64::from(length.subsec_nanos() > 0));
    (wait.retries.unwrap_or(settings.retries), seconds.max(1))
}

/// What is waited for, and the command that tells; a request takes no longer than a number of seconds.
fn target(wait: &WaitForSetting, longest: u64) -> (String, String) {
    if let Some(resource) = &wait.resource {
        let namespace = if resource.namespace.is_some() { " -n \"$NAMESPACE\"" } else { "" };
        let check = format!(
            "kubectl wait \"$TARGET\"{namespace} --for=\"condition=$CONDITION\" --timeout=\"${{PAUSE}}s\""
        );
        return (format!("{}/{}", resource.kind.to_lowercase(), resource.name), check);
    }
    if let Some(address) = &wait.tcp {
        return (address.clone(), format!("timeout {longest} nc -z -w {longest} \"$HOST\" \"$PORT\""));
    }
    let address = wait.http.clone().unwrap_or_default();
    (address, format!("timeout {longest} wget -q -T {longest} -O /dev/null \"$TARGET\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_is_the_wait_s_or_the_setting_s() {
        let settings = GateSettings::default();
        let own =
            WaitForSetting { retries: Some(3), interval: Some("1m".to_owned()), ..WaitForSetting::default() };
        assert_eq!(budget(&own, &settings), (3, 60));
        assert_eq!(budget(&WaitForSetting::default(), &settings), (60, 5));
    }
}
