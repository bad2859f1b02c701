-- Orders and what they hold.
CREATE TABLE orders (
    id BIGSERIAL PRIMARY KEY,
    customer_id BIGINT NOT NULL,
    placed_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    cancelled_at TIMESTAMPTZ,
    UNIQUE (customer_id, placed_at)
);

CREATE TABLE order_lines (
    order_id BIGINT NOT NULL REFERENCES orders (id) ON DELETE CASCADE,
    sku TEXT NOT NULL,
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    PRIMARY KEY (order_id, sku)
);

CREATE INDEX orders_open ON orders (placed_at) WHERE cancelled_at IS NULL;
