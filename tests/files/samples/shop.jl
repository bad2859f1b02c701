# Orders of a shop.
module Shop

using Dates, Base.Iterators
import JSON: parse
include("stock.jl")
export Order

const HELP = """
function hidden(x)
module
"""

"""
    Order{T}

An order.
"""
Base.@kwdef mutable struct Order{T} <: Thing
    id::Int
    items::Vector{T} = T[]
    Order(id) = new(id, [])
end

abstract type Thing end

"Finds an order."
function find(id::Int, all=Order[]; deep=true)::Order
    local_value = 1
    inner(x) = x
    return all[id]
end
find(id::String) = find(parse(Int, id))

@inline price(o::T) where {T} = 1
Base.show(io::IO, o::Order) = print(io, o.id)
function Base.length(o::Order) 1 end
macro order(x) x end
const LIMIT, LEAST = 10, 1
+(a::Order, b::Order) = a

end
