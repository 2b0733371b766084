-- Health of an ApplicationSet, for waves of a root application.
-- Healthy only when every Application it made is there, synced and healthy.
local hs = { status = "Progressing", message = "" }
local status = obj.status or {}

local up_to_date = false
for _, condition in ipairs(status.conditions or {}) do
  if condition.type == "ErrorOccurred" and condition.status == "True" then
    hs.status = "Degraded"
    hs.message = condition.message or ""
    return hs
  end
  if condition.type == "ResourcesUpToDate" then
    up_to_date = condition.status == "True"
  end
end
if not up_to_date then
  hs.message = "its Applications are not made yet"
  return hs
end

local resources = status.resources or {}
if #resources == 0 then
  hs.message = "no Application yet"
  return hs
end

local worst = nil
for _, resource in ipairs(resources) do
  local health = (resource.health or {}).status or "Unknown"
  if health == "Degraded" then
    hs.status = "Degraded"
    hs.message = resource.name .. " is Degraded"
    return hs
  end
  if worst == nil and health ~= "Healthy" then
    worst = resource.name .. " is " .. health
  elseif worst == nil and resource.status ~= "Synced" then
    worst = resource.name .. " is " .. (resource.status or "Unknown")
  end
end
if worst ~= nil then
  hs.message = worst
  return hs
end

hs.status = "Healthy"
return hs
