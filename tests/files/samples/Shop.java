/*
 * Licensed under the Apache License, Version 2.0 (the "License").
 */
package org.example.shop;

import java.util.List;
import static java.util.Map.entry;
import org.example.stock.*;

/**
 * A shop with <b>orders</b>, see {@link Order}. Second sentence.
 *
 * @author someone
 */
@Service("shop")
public abstract class Shop<T extends Order> extends Base implements Open, Closed {
    public static final int MAX = 16;
    private String name, title = "x";

    /** Opens it. */
    public Shop(String name) throws Failure { }

    @Override
    public <X> List<X> find(final int id, String... rest) throws Failure {
        return null;
    }

    protected void hidden() { }

    void packageLocal() { }

    public enum State { OPEN(1), CLOSED(2); private State(int n) { } }

    interface Visitor { void visit(Shop shop); int DEPTH = 3; }

    public record Line(int amount, String what) { }

    public static void main(String[] args) { }
}

@interface Marker { String value() default ""; }
