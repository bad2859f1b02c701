// Copyright somebody.

/// Orders of a shop.
library shop;

import 'dart:io';
export 'src/order.dart' show Order;

/// An order.
@immutable
abstract class Order<T> extends Base with Mixed {
  final int id, count;
  static const limit = 1;
  /// Makes one.
  Order(this.id);
  const Order.empty({required this.id});
  factory Order.of(String text) => Order(1);
  int get price => 1;
  set price(int value) {}
  Future<void> _send(int a) async {
    int local() => 1;
  }
  bool open();
  operator ==(other) => true;
}

mixin Mixed on Base {}
extension Shouting on String {
  String shout() => toUpperCase();
}
enum Color { red, green; int shade() => 1; }
typedef Visit = void Function(Order);
const top = 'a {';
int get now => 1;
void main(List<String> args) {
  print(args);
}
