package dev.bascule.ffi;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * Resources acquired in steps, given back in reverse order: by whoever closes, or by a constructor that fails.
 * <p>
 * Thread rule: one thread at a time.
 */
public final class Steps implements AutoCloseable {
    private final Deque<Runnable> releases = new ArrayDeque<>();

    /** Notes something that was acquired; returns it. */
    public <T> T add(T acquired, Consumer<? super T> release) {
        releases.push(() -> release.accept(acquired));
        return acquired;
    }

    @Override
    public void close() {
        while (!releases.isEmpty()) {
            releases.pop().run();
        }
    }
}
