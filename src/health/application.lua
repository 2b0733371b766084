-- Health of a child Application, for waves of a root application.
-- Healthy only when the verdict is about the source and destination the spec names now.
local hs = { status = "Progressing", message = "" }

-- Go leaves empty fields out when it writes a status, so absent and empty are the same.
local function is_empty(value)
  return value == nil or value == "" or value == false or (type(value) == "table" and next(value) == nil)
end

local function same(a, b)
  if is_empty(a) and is_empty(b) then
    return true
  end
  if type(a) ~= "table" or type(b) ~= "table" then
    return a == b
  end
  for key, value in pairs(a) do
    if not same(value, b[key]) then
      return false
    end
  end
  for key, value in pairs(b) do
    if not same(value, a[key]) then
      return false
    end
  end
  return true
end

local spec = obj.spec or {}
local status = obj.status
if status == nil or status.health == nil or status.health.status == nil then
  hs.message = "not looked at yet"
  return hs
end

local annotations = (obj.metadata or {}).annotations or {}
if annotations["argocd.argoproj.io/refresh"] ~= nil then
  hs.message = "waiting for a refresh"
  return hs
end

local sync = status.sync or {}
local compared = sync.comparedTo
if spec.sourceHydrator == nil then
  if compared == nil
    or not same(compared.source, spec.source)
    or not same(compared.sources, spec.sources)
    or not same(compared.destination, spec.destination)
  then
    hs.message = "its state belongs to an older spec"
    return hs
  end
end

for _, condition in ipairs(status.conditions or {}) do
  if condition.type == "ComparisonError" or condition.type == "InvalidSpecError" or condition.type == "UnknownError" then
    hs.message = condition.message or condition.type
    return hs
  end
end

local operation = status.operationState
if obj.operation ~= nil or (operation ~= nil and (operation.phase == "Running" or operation.phase == "Terminating")) then
  hs.message = "a sync is running"
  return hs
end

local automated = (spec.syncPolicy or {}).automated
if sync.status ~= "Synced" and automated ~= nil and automated.enabled ~= false then
  local result = (operation or {}).syncResult or {}
  local failed = operation ~= nil and (operation.phase == "Failed" or operation.phase == "Error")
  if failed and same(result.source, spec.source) and same(result.sources, spec.sources) then
    hs.status = "Degraded"
    hs.message = operation.message or "its sync failed"
  else
    hs.message = "not synced yet"
  end
  return hs
end

hs.status = status.health.status
hs.message = status.health.message or ""
return hs
