//! Orders of a shop.

const std = @import("std");
const stock = @import("stock.zig");

/// An order.
pub const Order = struct {
    id: u32 = 0,
    /// Finds one.
    pub fn find(all: []const Order, id: u32) ?*Order {
        const local = 1;
        return null;
    }
    fn hidden(self: *Order) void {}
    const limit = 10;
};

pub const Color = enum { red, green };
const Value = union(enum) { number: u8, text: []const u8 };
const Failure = error{Missing};

pub fn List(comptime T: type) type {
    return struct {
        items: []T,
        pub fn add(self: *@This(), item: T) void {}
    };
}

extern fn c_call() void;
var count: usize = 0;

pub fn main() !void {}

test "an order is found" {}
