(** Orders of a shop. *)

open Base

type order = { id : int; name : string } and state = Open | Closed of int
exception Missing of int

(** Finds an order. *)
let rec find id all =
  let local x = x in
  local all
and search = function [] -> None | x :: _ -> Some x

let limit = 10
let (+/) a b = a
let low, high = 1, 2
let () = print_endline {|let hidden = 1|}
external now : unit -> int = "now"

module Stock = struct
  let add item = item
end
module type S = sig
  val get : int -> order
end
class shop = object
  method sell = 1
end
