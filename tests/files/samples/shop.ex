# Copyright somebody
defmodule Shop.Orders do
  @moduledoc """
  Orders of a shop.

      def not_code, do: 1
  """
  use Shop.Base
  alias Shop.{Item, Price}
  require Logger

  @typedoc "An order"
  @type t :: %{id: integer}
  @callback price(Item.t()) :: integer when t: var
  defstruct [:id, items: []]

  @query ~S"""
  defmodule Hidden do
  """

  @doc """
  Finds an order. Gives nil without one.
  """
  @spec find(integer) :: t | nil
  def find(0), do: nil
  def find(id) when id > 0 do
    local = fn x -> x end
    local.(id)
  end

  defp hidden(a, b \\ 1), do: a + b
  defguard is_order(x) when is_map(x)

  # Adds two.
  def a ~> b, do: [a | b]

  defmacro order(name) do
    quote do
      def unquote(name)(), do: 1
    end
  end
end

defimpl String.Chars, for: Shop.Orders do
  def to_string(_), do: "order"
end
