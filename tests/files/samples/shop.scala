/* Licensed to somebody */
package shop.orders

import shop.stock.{Item, Price => P}

/** An order. Has items.
  * @param id its number
  */
@deprecated("x", "1")
final case class Order[A](val id: Int, items: List[A]) extends Base {
  private val hidden = Seq(1)
  /** Sum of all. */
  def total(tax: Double)(implicit c: Clock): Double = {
    val local = 1
    def inner(x: Int) = x
    local * tax
  }
  def open: Boolean
  type Key = Int
  var state: State = new State(1)
}
trait Base
object Main extends App {
  val (low, high) = (1, 2)
}
enum Color { case Red, Green; case Mixed(a: Int) }
given ordering: Ordering[Order[Int]] with { def compare(x: Int) = 1 }
extension (s: String) def shout: String = s.toUpperCase
def topLevel(a: String) = s"""a { $a """
