-- Health of a custom kind that something waits for: its conditions, else its phase.
local hs = { status = "Progressing", message = "its controller has not reported yet" }
local status = obj.status
if status == nil or next(status) == nil then
  return hs
end

local generation = (obj.metadata or {}).generation
if type(status.observedGeneration) == "number" and generation ~= nil and status.observedGeneration < generation then
  hs.message = "its controller has not seen the last change"
  return hs
end

local told = false
for _, name in ipairs({ "Ready", "Available", "Succeeded", "Established", "Accepted" }) do
  for _, condition in ipairs(status.conditions or {}) do
    if condition.type == name and not told then
      told = true
      hs.message = condition.message or condition.reason or ""
      if condition.status == "True" then
        hs.status = "Healthy"
      end
    end
  end
end
for _, condition in ipairs(status.conditions or {}) do
  if (condition.type == "Failed" or condition.type == "Stalled") and condition.status == "True" then
    hs.status = "Degraded"
    hs.message = condition.message or condition.reason or ""
    return hs
  end
end
if told then
  return hs
end

-- Argo CD runs the checks of argocd-cm without the string library, so every spelling is written down.
local healthy = {
  ready = true, Ready = true, READY = true,
  running = true, Running = true, RUNNING = true,
  active = true, Active = true, ACTIVE = true,
  available = true, Available = true, AVAILABLE = true,
  succeeded = true, Succeeded = true, SUCCEEDED = true,
  completed = true, Completed = true, COMPLETED = true,
  healthy = true, Healthy = true, HEALTHY = true,
  bound = true, Bound = true, BOUND = true,
  synced = true, Synced = true, SYNCED = true,
}
local degraded = {
  failed = true, Failed = true, FAILED = true,
  error = true, Error = true, ERROR = true,
  degraded = true, Degraded = true, DEGRADED = true,
}
for _, field in ipairs({ "phase", "state", "status" }) do
  local value = status[field]
  if type(value) == "string" and value ~= "" then
    hs.message = value
    if healthy[value] then
      hs.status = "Healthy"
    elseif degraded[value] then
      hs.status = "Degraded"
    end
    return hs
  end
end
for _, field in ipairs({ "ready", "available", "healthy", "succeeded", "completed" }) do
  if status[field] == false then
    hs.message = "not " .. field
    return hs
  end
end

-- It reports, and reports nothing to wait for.
if status.conditions == nil then
  hs.status = "Healthy"
  hs.message = ""
end
return hs
