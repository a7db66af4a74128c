package dev.bascule.study.sim;

import java.util.SplittableRandom;

/**
 * Gives each job to a host. What it knows of a host is what it gave it and which answers have come back: both cross the wire, so
 * its numbers are as old as that. One thread.
 */
final class LoadBalancer {
    private final SimBalance how;
    private final long wireNanos;
    private final SplittableRandom random;
    private final int[] unanswered;
    private final LongRing[] answers;
    private int last = -1;

    LoadBalancer(SimBalance how, int hosts, long wireNanos, long seed) {
        this.how = how;
        this.wireNanos = wireNanos;
        random = new SplittableRandom(seed);
        unanswered = new int[hosts];
        answers = new LongRing[hosts];
        for (int host = 0; host < hosts; host++) {
            answers[host] = new LongRing(64);
        }
    }

    /** The host for a job that comes now. */
    int choose(long nowNanos) {
        int hosts = unanswered.length;
        last = switch (how) {
            case RANDOM -> random.nextInt(hosts);
            case ROUND_ROBIN -> (last + 1) % hosts;
            case LEAST_LOADED -> leastLoaded(nowNanos);
            case POWER_OF_TWO -> hosts == 1 ? 0 : ofTwo(nowNanos);
        };
        unanswered[last]++;
        return last;
    }

    /** The host has done a job: its answer leaves. In the order of time for each host. */
    void answered(int host, long nanos) {
        if (how.looks()) {
            answers[host].add(nanos + wireNanos);
        }
    }

    private int leastLoaded(long nowNanos) {
        int best = 0;
        int least = Integer.MAX_VALUE;
        int equal = 0;
        for (int host = 0; host < unanswered.length; host++) {
            int load = load(host, nowNanos);
            equal = load < least ? 1 : load == least ? equal + 1 : equal;
            if (load < least || load == least && random.nextInt(equal) == 0) {
                best = host;
                least = load;
            }
        }
        return best;
    }

    private int ofTwo(long nowNanos) {
        int one = random.nextInt(unanswered.length);
        int other = random.nextInt(unanswered.length - 1);
        other += other >= one ? 1 : 0;
        return load(other, nowNanos) < load(one, nowNanos) ? other : one;
    }

    /** Jobs without an answer, as far as it is known now. */
    int load(int host, long nowNanos) {
        LongRing back = answers[host];
        while (!back.isEmpty() && back.peek() <= nowNanos) {
            back.poll();
            unanswered[host]--;
        }
        return unanswered[host];
    }
}
