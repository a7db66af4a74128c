package dev.bascule.study.lauberhorn;

import dev.bascule.study.Events;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * A {@link MixLoad} on cores that take requests of any process from one queue, in virtual time: a kernel's sockets, or cores
 * that something in front of them feeds. First come, first served, to completion; work conserving.
 */
final class CentralMix {
    /**
     * Times, ns.
     *
     * @param inFront of a request before a core can have it, one after the other: an agent that decides; 0: none
     * @param delivery until a core that is idle has begun
     * @param each of a core for each request, besides its work
     * @param change of a core whose last request was of another process
     */
    record Times(long inFront, long delivery, long each, long change) {}

    private final MixLoad load;
    private final Times times;
    private final Events events = new Events();
    private final IntConsumer arrival = this::arrived;
    private final IntConsumer readiness = this::ready;
    private final IntConsumer end = this::ended;
    private final int[] queue;
    private final int[] last;
    private final int[] running;
    private final long[] latency;
    private int head;
    private int tail;
    private long frontFreeNanos;
    private long busyNanos;
    private long switches;
    private long lastNanos;

    CentralMix(MixLoad load, int cores, Times times) {
        this.load = load;
        this.times = times;
        queue = new int[load.count()];
        last = new int[cores];
        running = new int[cores];
        Arrays.fill(last, -1);
        Arrays.fill(running, -1);
        latency = new long[load.count()];
    }

    MixResult run(String name) {
        events.at(load.dueNanos()[0], arrival, 0);
        events.run();
        return MixResult.of(name, latency, 0, lastNanos, busyNanos, switches);
    }

    private void arrived(int request) {
        if (request + 1 < load.count()) {
            events.at(load.dueNanos()[request + 1], arrival, request + 1);
        }
        frontFreeNanos = Math.max(frontFreeNanos, events.now()) + times.inFront;
        events.at(frontFreeNanos, readiness, request);
    }

    private void ready(int request) {
        queue[tail++] = request;
        int core = idle();
        if (core >= 0) {
            begin(core, times.delivery);
        }
    }

    private int idle() {
        int service = load.service()[queue[tail - 1]];
        int any = -1;
        for (int core = 0; core < running.length; core++) {
            if (running[core] < 0) {
                if (last[core] == service) {
                    return core;
                }
                any = core;
            }
        }
        return any;
    }

    private void begin(int core, long delivery) {
        int id = queue[head++];
        int service = load.service()[id];
        boolean changes = last[core] != service;
        switches += changes ? 1 : 0;
        long cost = times.each + (changes ? times.change : 0) + load.workNanos()[id];
        last[core] = service;
        running[core] = id;
        busyNanos += cost + delivery;
        events.at(events.now() + delivery + cost, end, core);
    }

    private void ended(int core) {
        int id = running[core];
        running[core] = -1;
        latency[id] = events.now() - load.dueNanos()[id];
        lastNanos = events.now();
        if (head < tail) {
            begin(core, 0);
        }
    }
}
