"""Prices, discounts and taxes."""

from decimal import ROUND_HALF_EVEN, Decimal

from shop.catalogue import Product, find_product

TAX_RATES = {"DE": Decimal("0.19"), "FR": Decimal("0.20"), "US": Decimal(0)}
_CENT = Decimal("0.01")


class PriceError(ValueError):
    pass


def apply_discounts(price, discounts):
    """Apply discounts to a price."""
    for discount in sorted(discounts, key=lambda one: one.priority, reverse=True):
        price = discount.apply(price)
        if discount.exclusive:
            break
    return max(price, Decimal(0))


def round_price(amount):
    return amount.quantize(_CENT, rounding=ROUND_HALF_EVEN)


def tax_for(country, amount):
    rate = TAX_RATES.get(country)
    if rate is None:
        raise PriceError(f"no tax rate for {country}")
    return round_price(amount * rate)


def total(basket, country):
    net = Decimal(0)
    for line in basket.lines:
        product = find_product(line.sku)
        if product is None:
            continue
        net += product.price * line.quantity
    net = apply_discounts(net, basket.discounts)
    return round_price(net + tax_for(country, net))


class PriceCache:
    def __init__(self, size=256):
        self.size = size
        self._prices = {}

    def lookup(self, product: Product, country):
        key = (product.sku, product.version, country)
        if key not in self._prices:
            if len(self._prices) >= self.size:
                self._prices.pop(next(iter(self._prices)))
            self._prices[key] = round_price(product.price + tax_for(country, product.price))
        return self._prices[key]
