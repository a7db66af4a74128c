package dev.bascule.web;

import dev.bascule.host.CounterReader;
import dev.bascule.host.Distribution;
import dev.bascule.json.Json;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The hosts that are watched, one after the other: the newest of each transport, of which at most the last one runs. Any
 * thread.
 */
public final class Hosts implements AutoCloseable {
    /** A second look within this time finds the same. */
    private static final long FRESH_NANOS = 100_000_000;

    private final Map<String, HostView> views = new LinkedHashMap<>();
    private long lookedNanos = System.nanoTime() - FRESH_NANOS;
    private long looks;

    /** Follows the host of this run directory from now on; the one before has ended. */
    public synchronized void follow(Path directory) {
        try (CounterReader now = CounterReader.open(directory)) {
            for (HostView view : views.values()) {
                if (view.isOf(now)) {
                    return;
                }
            }
        }
        views.values().forEach(HostView::end);
        HostView view = HostView.open(directory);
        views.remove(view.name()); // its place is that of the newest
        views.put(view.name(), view);
        lookedNanos = System.nanoTime() - FRESH_NANOS;
    }

    /** The host that is followed ends: its last values stay. */
    public synchronized void end() {
        views.values().forEach(HostView::end);
        lookedNanos = System.nanoTime() - FRESH_NANOS;
    }

    private void look() {
        long now = System.nanoTime();
        if (now - lookedNanos < FRESH_NANOS) {
            return;
        }
        for (HostView view : views.values()) {
            if (view.isWriterAlive()) {
                view.look();
            } else {
                view.end();
            }
        }
        lookedNanos = now;
        looks++;
    }

    /** Everything, for the page's script. */
    synchronized Json.Obj json() {
        look();
        Json.Arr bounds = Json.array();
        for (int i = 0; i < Distribution.BOUNDS; i++) {
            bounds.add(Distribution.bound(i) / 1e3);
        }
        return Json.object().put("now", System.currentTimeMillis()).put("look", looks).put("boundsMicros", bounds)
                .put("hosts", Json.array(views.values(), HostView::json));
    }

    synchronized String metrics(boolean open) {
        look();
        List<HostView> all = new ArrayList<>(views.values());
        return open ? new MetricsText(true).of(all) : new MetricsText(false).of(all);
    }

    @Override
    public synchronized void close() {
        views.values().forEach(HostView::end);
    }
}
