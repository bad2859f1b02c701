@file:JvmName("Shops")

package org.example.shop

import org.example.stock.Shelf
import org.example.tools.*
import org.example.Alias as Other

/**
 * A shop with [Order]s. More.
 */
@Service
data class Shop(val name: String, private val id: Int = 1, plain: Int) : Base(), Open {
  val size: Int = 3
  private var hidden = 2
  val computed: Int
    get() = 3

  constructor(name: String) : this(name, 1, 2)

  /** Finds it. */
  override suspend fun find(id: Int, deep: Boolean = false): List<Order> {
    return listOf()
  }

  internal fun inside() {}

  companion object {
    const val MAX = 16
    fun create() = Shop("x")
  }
}

sealed interface Open {
  fun open()
  val state: Int
}

fun interface Visitor {
  fun visit(shop: Shop)
}

enum class State(val code: Int) {
  OPEN(1),
  CLOSED(2);

  fun label() = name
}

object Registry : Base()

fun <T> List<T>.second(start: Int): T where T : Any = this[1]
typealias Table = Map<String, Int>
const val LIMIT = 3
val shared: Int by lazy { 1 }
private val secret = 1

fun main(args: Array<String>) {}
