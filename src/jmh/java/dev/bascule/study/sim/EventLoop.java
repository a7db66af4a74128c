package dev.bascule.study.sim;

import java.util.Arrays;

/**
 * A minimal event loop on the simulated host's event tree; twin of {@code native/bench/events.c}, event by event, so that
 * the two give the same checksum. What the simulation spends beyond it is the agent, its transport and the bytes between.
 */
public final class EventLoop {
    private static final int WAITING = 1 << 16;

    private final long[] arrived = new long[1025];
    private final long[] waiting = new long[WAITING];
    private long random;

    private long next() {
        long x = random;
        x ^= x << 13;
        x ^= x >>> 7;
        x ^= x << 17;
        random = x;
        return x;
    }

    /** Runs {@code count} events with so many servers; returns the sum of the times jobs were there. */
    public long run(long start, long count, int servers) {
        EventTree events = new EventTree(servers + 1);
        Arrays.fill(arrived, 0);
        random = start * 0x9e37_79b9_7f4a_7c15L | 1;
        long gap = 2L * (1000 / servers) + 1;
        int head = 0;
        int tail = 0;
        int idle = servers;
        long sum = 0;
        events.set(servers, 0);
        for (long i = 0; i < count; i++) {
            int actor = events.first();
            long now = events.due(actor);
            if (actor == servers) {
                events.set(servers, now + 1 + ((next() >>> 33) * gap >>> 31));
                if (idle == 0) {
                    if (tail - head < WAITING) {
                        waiting[tail++ & WAITING - 1] = now;
                    }
                } else {
                    int server = 0;
                    while (events.due(server) != EventTree.NEVER) {
                        server++;
                    }
                    idle--;
                    arrived[server] = now;
                    events.set(server, now + 1 + ((next() >>> 33) * 1800 >>> 31));
                }
            } else {
                sum += now - arrived[actor];
                if (head == tail) {
                    idle++;
                    events.set(actor, EventTree.NEVER);
                } else {
                    arrived[actor] = waiting[head++ & WAITING - 1];
                    events.set(actor, now + 1 + ((next() >>> 33) * 1800 >>> 31));
                }
            }
        }
        return sum;
    }
}
