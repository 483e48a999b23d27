-- What templates in Lua find beside `fields`: helper modules, and a context.
-- What could reach files or the machine is taken away.
local text_of, given  -- text of a file by its path: nil if it is not there, or not below
text_of, given, fields, __texts = ...
__out = {}
context = {
  os = "linux", world = "", proto = "", project_path = "", webots_home = "",
  temporary_files_path = "", id = "0", coordinate_system = "ENU",
  webots_version = {major = "R2021b", revision = "0"},
}
for key, value in pairs(given) do context[key] = value end

-- Scripts of Lua 5.1 have it.
function table.maxn(t)
  local most = 0
  for key in pairs(t) do
    if type(key) == "number" and key > most then most = key end
  end
  return most
end

local modules = {}

local range, state = 16777216, 0
local function next_state()
  state = (1140671485 * state + 12820163) % range
  return state
end
modules.wbrandom = {
  seed = function(s) state = s % range end,
  real = function(a, b)
    local min, max = 0, 1
    if b then min, max = a, b elseif a then max = a end
    return min + next_state() * (max - min) / (range - 1)
  end,
  integer = function(a, b)
    local min, max = 0, range - 1
    if b then min, max = a, b elseif a then min, max = 1, a end
    return min + next_state() % (1 + max - min)
  end,
}
wbrandom = modules.wbrandom

local function scaled(v, s)
  local made = {}
  for key, value in pairs(v) do made[key] = value * s end
  return made
end
local function combined(a, b, sign)
  local made = {}
  for key, value in pairs(a) do made[key] = value + sign * b[key] end
  return made
end
local function dot(a, b)
  local sum = 0
  for key, value in pairs(a) do sum = sum + value * b[key] end
  return sum
end
local vector = {
  add = function(a, b) return combined(a, b, 1) end,
  minus = function(a, b) return combined(a, b, -1) end,
  multiply = scaled,
  dot = dot,
  norm = function(a) return math.sqrt(dot(a, a)) end,
  distance = function(a, b)
    local d = combined(a, b, -1)
    return math.sqrt(dot(d, d))
  end,
  normalize = function(a) return scaled(a, 1 / math.sqrt(dot(a, a))) end,
}
modules.wbvector2 = setmetatable({
  cross = function(a, b) return a.x * b.y - a.y * b.x end,
}, {__index = vector})
modules.wbvector3 = setmetatable({
  cross = function(a, b)
    return {
      x = a.y * b.z - a.z * b.y, y = a.z * b.x - a.x * b.z, z = a.x * b.y - a.y * b.x,
    }
  end,
}, {__index = vector})

modules.wbrotation = {
  toQuaternion = function(r)
    local n = math.sqrt(r.x * r.x + r.y * r.y + r.z * r.z)
    local s = n > 0 and math.sin(r.a / 2) / n or 0
    return {w = math.cos(r.a / 2), x = r.x * s, y = r.y * s, z = r.z * s}
  end,
  fromQuaternion = function(q)
    local s = math.sqrt(q.x * q.x + q.y * q.y + q.z * q.z)
    if s < 1e-15 then return {x = 0, y = 0, z = 1, a = 0} end
    return {x = q.x / s, y = q.y / s, z = q.z / s, a = 2 * math.atan2(s, q.w)}
  end,
}
modules.wbrotation.combine = function(r1, r2)
  local p, q = modules.wbrotation.toQuaternion(r1), modules.wbrotation.toQuaternion(r2)
  return modules.wbrotation.fromQuaternion({
    w = p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
    x = p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
    y = p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
    z = p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w,
  })
end

modules.wbutility = {
  degreesToRadians = math.rad,
  radiansToDegrees = math.deg,
  error = function() end,
  info = function() end,
}
modules.wbmath = math
modules.wbgeometry = {
  circle = function(radius, subdivision, center, shift)
    local at, points = center or {x = 0, y = 0}, {}
    for i = 0, subdivision - 1 do
      local angle = 2 * math.pi * i / subdivision + (shift or 0)
      points[i + 1] = {
        x = radius * math.cos(angle) + at.x, y = radius * math.sin(angle) + at.y,
      }
    end
    return points
  end,
}

math.random = function(a, b)
  if b then return modules.wbrandom.integer(a, b) end
  if a then return modules.wbrandom.integer(1, a) end
  return modules.wbrandom.real()
end
math.randomseed = modules.wbrandom.seed
os = {clock = function() return 0 end, time = function() return 0 end}
os.date = function() return "" end
os.getenv = function() return nil end
print = function() end
require = function(name)
  if not modules[name] then error("there is no module " .. name) end
  return modules[name]
end
local function opened(text)
  local at, file = 1, {}
  local function part(format)
    if type(format) == "number" then
      local some = text:sub(at, at + format - 1)
      at = at + #some
      return some ~= "" and some or nil
    end
    local kind = format:gsub("^%*", ""):sub(1, 1)
    if kind == "a" then
      local rest = text:sub(at)
      at = #text + 1
      return rest
    elseif kind == "n" then
      local _, last, number = text:find("^%s*([-+]?[%d.]+[eE]?[-+]?%d*)", at)
      at = last and last + 1 or at
      return tonumber(number)
    end
    if at > #text then return nil end
    local last = text:find("\n", at, true) or #text
    local line = text:sub(at, last)
    at = last + 1
    return kind == "L" and line or (line:gsub("\r?\n$", ""))
  end
  function file.read(_, ...)
    local formats, got = {...}, {}
    if #formats == 0 then formats = {"l"} end
    for i, format in ipairs(formats) do got[i] = part(format) end
    return table.unpack(got, 1, #formats)
  end
  function file.lines() return function() return part("l") end end
  function file.close() return true end
  return file
end
io = {
  open = function(path, mode)
    if mode and mode:find("[wa+]") then error("templates write no files here") end
    local text = text_of(tostring(path))
    if not text then return nil, path .. ": no file below the project" end
    return opened(text)
  end,
  lines = function(path)
    local text = text_of(tostring(path))
    if not text then error("no file below the project: " .. path) end
    return opened(text).lines()
  end,
  close = function() return true end,
  write = function() end,
}
package, dofile, loadfile, load, loadstring = nil, nil, nil, nil, nil
debug, collectgarbage, module, python = nil, nil, nil, nil
