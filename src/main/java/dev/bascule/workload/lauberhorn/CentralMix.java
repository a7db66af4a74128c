package dev.bascule.workload.lauberhorn;

import java.util.Arrays;

/**
 * A {@link MixLoad} on cores that take requests of any process from one queue, in virtual time: a kernel's sockets, or cores
 * that something in front of them feeds. First come, first served, to completion; work conserving.
 */
final class CentralMix {
    private static final int ARRIVES = 0;
    private static final int READY = 1;
    private static final int ENDS = 2;

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
        events.add(load.dueNanos()[0], ARRIVES, 0);
        while (events.next()) {
            int number = events.number();
            switch (events.kind()) {
                case ARRIVES -> {
                    if (number + 1 < load.count()) {
                        events.add(load.dueNanos()[number + 1], ARRIVES, number + 1);
                    }
                    frontFreeNanos = Math.max(frontFreeNanos, events.now()) + times.inFront;
                    events.add(frontFreeNanos, READY, number);
                }
                case READY -> {
                    queue[tail++] = number;
                    int core = idle();
                    if (core >= 0) {
                        begin(core, times.delivery);
                    }
                }
                default -> ended(number);
            }
        }
        return MixResult.of(name, latency, 0, lastNanos, busyNanos, switches);
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
        events.add(events.now() + delivery + cost, ENDS, core);
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
