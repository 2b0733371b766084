-- Health of a child Application, for waves of a root application.
-- Healthy only when the verdict is about the source and destination the spec names now.
local hs = { status = "Progressing", message = "" }

-- Go leaves empty fields out when it writes a status, so absent and empty are the same; but valuesObject it copies.
local function is_empty(value)
  return value == nil or value == "" or value == false or (type(value) == "table" and next(value) == nil)
end

local function same(a, b, exactly)
  if not exactly and is_empty(a) and is_empty(b) then
    return true
  end
  if type(a) ~= "table" or type(b) ~= "table" then
    return a == b
  end
  for key, value in pairs(a) do
    if not same(value, b[key], exactly or key == "valuesObject") then
      return false
    end
  end
  for key, value in pairs(b) do
    if not same(value, a[key], exactly or key == "valuesObject") then
      return false
    end
  end
  return true
end

-- Where there are sources, Argo CD still writes an empty source beside them, and it says nothing.
local function same_source(a, b)
  if not is_empty(a.sources) or not is_empty(b.sources) then
    return same(a.sources, b.sources)
  end
  return same(a.source, b.source)
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
  if compared == nil or not same_source(compared, spec) or not same(compared.destination, spec.destination) then
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

-- A hook that fails leaves everything synced and healthy. What an older source or revision did counts no more: the next
-- sync is to come, or nothing is left to do.
if operation ~= nil and (operation.phase == "Failed" or operation.phase == "Error") then
  local result = operation.syncResult or {}
  local present = same_source(result, compared or {})
    and same(result.revision, sync.revision)
    and same(result.revisions, sync.revisions)
  if present then
    hs.status = "Degraded"
    hs.message = operation.message or "its sync failed"
    return hs
  end
end

local automated = (spec.syncPolicy or {}).automated
if sync.status ~= "Synced" and automated ~= nil and automated.enabled ~= false then
  hs.message = "not synced yet"
  return hs
end

hs.status = status.health.status
hs.message = status.health.message or ""
return hs
