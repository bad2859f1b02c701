(** Orders of a shop. *)

type order
(** An order. *)

val find : int -> order option
(** Finds one.
    @raise Missing sometimes *)

val limit : int

module Stock : sig
  val add : int -> unit
end
exception Missing of int
