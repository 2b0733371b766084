-- Health of a custom kind that something waits for: its conditions, else its phase.
local hs = { status = "Progressing", message = "its controller has not reported yet" }
local status = obj.status
if status == nil or next(status) == nil then
  return hs
end

local generation = (obj.metadata or {}).generation
if status.observedGeneration ~= nil and generation ~= nil and status.observedGeneration < generation then
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

local healthy = { ready = true, running = true, active = true, available = true, succeeded = true, completed = true, healthy = true, bound = true, synced = true }
local degraded = { failed = true, error = true, degraded = true }
for _, field in ipairs({ "phase", "state", "status" }) do
  local value = status[field]
  if type(value) == "string" and value ~= "" then
    hs.message = value
    if healthy[string.lower(value)] then
      hs.status = "Healthy"
    elseif degraded[string.lower(value)] then
      hs.status = "Degraded"
    end
    return hs
  end
end

-- It reports, and reports nothing to wait for.
if status.conditions == nil then
  hs.status = "Healthy"
  hs.message = ""
end
return hs
