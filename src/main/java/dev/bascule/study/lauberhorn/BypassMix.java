package dev.bascule.study.lauberhorn;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A {@link MixLoad} by kernel bypass: each process polls queues of its own on a core that it was given, service s on core s
 * mod cores. With more processes than cores they share: either each spins until its time slice is over, or it yields when
 * its queue is empty.
 */
final class BypassMix {
    private final MixLoad load;
    private final int cores;
    private final long transferNanos;
    private final long eachNanos;
    private final long changeNanos;
    private final long[] latency;
    private long lastNanos;
    private long switches;

    /**
     * A machine.
     *
     * @param transferNanos from the NIC to memory and back, which no core spends
     * @param eachNanos of a core for each request, besides its work: poll, demultiplex, unmarshal
     * @param changeNanos to change the process
     */
    BypassMix(MixLoad load, int cores, long transferNanos, long eachNanos, long changeNanos) {
        this.load = load;
        this.cores = cores;
        this.transferNanos = transferNanos;
        this.eachNanos = eachNanos;
        this.changeNanos = changeNanos;
        latency = new long[load.count()];
    }

    /** Processes spin for their slice. A process's time is its own, so each can be computed by itself. */
    MixResult spinning(String name, long sliceNanos) {
        long[] freeNanos = new long[load.services()];
        for (int id = 0; id < load.count(); id++) {
            int service = load.service()[id];
            int shares = sharing(service);
            long start = Math.max(load.dueNanos()[id], freeNanos[service]);
            long end = advance(start, eachNanos + load.workNanos()[id], service / cores, shares, sliceNanos);
            freeNanos[service] = end;
            latency[id] = end - load.dueNanos()[id];
            lastNanos = Math.max(lastNanos, end);
        }
        int most = sharing(0);
        switches = most == 1 ? 0 : lastNanos / sliceNanos * cores;
        return result(name);
    }

    private int sharing(int service) {
        return (load.services() - service % cores + cores - 1) / cores;
    }

    /** When work ends that can begin at {@code start}, if every {@code shares}-th slice is ours. */
    private long advance(long start, long work, int turn, int shares, long sliceNanos) {
        if (shares == 1) {
            return start + work;
        }
        long at = start;
        long left = work;
        while (true) {
            long slot = at / sliceNanos;
            if (slot % shares == turn) {
                long begins = slot * sliceNanos + changeNanos;
                at = Math.max(at, begins);
                long room = (slot + 1) * sliceNanos - at;
                if (left <= room) {
                    return at + left;
                }
                left -= room;
                slot++;
            }
            long wait = Math.floorMod(turn - slot, (long) shares);
            at = (slot + wait) * sliceNanos;
        }
    }

    /** Processes yield when their queue is empty: the core goes round them. */
    MixResult yielding(String name, long hopNanos) {
        for (int core = 0; core < cores && core < load.services(); core++) {
            yielding(core, hopNanos);
        }
        return result(name);
    }

    private void yielding(int core, long hopNanos) {
        int shares = sharing(core);
        List<ArrayDeque<Integer>> queues = new ArrayList<>();
        for (int i = 0; i < shares; i++) {
            queues.add(new ArrayDeque<>());
        }
        int[] mine = java.util.stream.IntStream.range(0, load.count())
                .filter(id -> load.service()[id] % cores == core).toArray();
        int next = 0;
        int at = 0;
        long now = 0;
        int queued = 0;
        while (next < mine.length || queued > 0) {
            if (queued == 0) {
                long due = load.dueNanos()[mine[next]];
                long hops = Math.max(0, due - now) / hopNanos;
                at = (int) ((at + hops) % shares);
                switches += shares == 1 ? 0 : hops;
                now = Math.max(now, due);
            }
            while (next < mine.length && load.dueNanos()[mine[next]] <= now) {
                queues.get(load.service()[mine[next]] / cores).add(mine[next]);
                next++;
                queued++;
            }
            while (queues.get(at).isEmpty()) {
                at = (at + 1) % shares;
                now += hopNanos;
                switches++;
            }
            int id = queues.get(at).remove();
            queued--;
            now += eachNanos + load.workNanos()[id];
            latency[id] = now - load.dueNanos()[id];
            lastNanos = Math.max(lastNanos, now);
        }
    }

    private MixResult result(String name) {
        return MixResult.of(name, Arrays.stream(latency).map(nanos -> nanos + transferNanos).toArray(), 0, lastNanos,
                lastNanos * cores, switches);
    }
}
