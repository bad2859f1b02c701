#!/usr/bin/env lua
-- Orders of a shop.
-- Nothing more.

local M = {}
local stock = require("shop.stock")
local json = require "json"
dofile("extra.lua")

local MAX = 16
M.VERSION = "1.2"
M.defaults = { deep = true, visit = function(order) end }

--- Finds an order.
-- @param id number
function M.find(id, ...)
end

function M:open(how)
end

M.close = function(force) end

local function hidden(a) end

function everywhere() end

function M._private() end

Other.show = function() end

return M
