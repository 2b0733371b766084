local hs = { status = "Progressing", message = "its controller has not reported that it is ready" }
local status = obj.status
if type(status) ~= "table" then
  return hs
end

local generation = (obj.metadata or {}).generation
if type(status.observedGeneration) == "number" and generation ~= nil and status.observedGeneration ~= generation then
  hs.message = "its controller has not seen the last change"
  return hs
end

local function says(name, wanted)
  for _, condition in ipairs(status.conditions or {}) do
    if condition.type == name and condition.status == wanted then
      return true
    end
  end
  return false
end

local function field(keys)
  local value = status
  for _, key in ipairs(keys) do
    if type(value) ~= "table" then
      return nil
    end
    value = value[key]
  end
  return value
end

local function is_one_of(value, wanted)
  for _, one in ipairs(wanted) do
    if value == one then
      return true
    end
  end
  return false
end

