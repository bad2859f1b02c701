package engine;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;

/** Runs tasks at fixed rates on an executor. */
public final class Scheduler implements AutoCloseable {
    private final PriorityQueue<Entry> queue = new PriorityQueue<>(Comparator.comparing(Entry::due));
    private final Executor executor;
    private final Clock clock;
    private volatile boolean closed;

    public record Entry(Instant due, Duration every, Runnable task) {}

    public Scheduler(Executor executor, Clock clock) {
        this.executor = executor;
        this.clock = clock;
    }

    public synchronized void every(Duration period, Runnable task) {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        queue.add(new Entry(clock.instant().plus(period), period, task));
    }

    public synchronized int tick() {
        int started = 0;
        while (!closed && !queue.isEmpty() && !queue.peek().due().isAfter(clock.instant())) {
            Entry entry = queue.poll();
            executor.execute(entry.task());
            queue.add(new Entry(entry.due().plus(entry.every()), entry.every(), entry.task()));
            started++;
        }
        return started;
    }

    @Override
    public void close() {
        closed = true;
        synchronized (this) {
            queue.clear();
        }
    }
}
