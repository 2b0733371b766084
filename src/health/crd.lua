-- Health of a CRD. Argo CD's own check calls one Degraded that has conditions but is not established yet, as every
-- approved CRD of a *.k8s.io group is for a moment, and a sync that looks just then fails (argoproj/argo-cd#25084).
local hs = { status = "Progressing", message = "not established yet" }
for _, condition in ipairs((obj.status or {}).conditions or {}) do
  if condition.type == "NamesAccepted" and condition.status == "False" then
    return { status = "Degraded", message = condition.message or "its names are not accepted" }
  end
  if condition.type == "Established" and condition.status == "True" then
    hs = { status = "Healthy", message = "established" }
  end
end
return hs
