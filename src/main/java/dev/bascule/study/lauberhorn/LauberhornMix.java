package dev.bascule.study.lauberhorn;

import dev.bascule.lauberhorn.LineHead;
import dev.bascule.lauberhorn.NicDispatch;
import dev.bascule.lauberhorn.NicEffects;
import dev.bascule.lauberhorn.NicEndpoint;
import dev.bascule.lauberhorn.QueueScheduler;
import dev.bascule.lauberhorn.Refusal;
import dev.bascule.study.Events;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * A {@link MixLoad} behind Lauberhorn's NIC in virtual time: the machines, the dispatcher and the policy are those of
 * production; lines take their time on the interconnect, and the kernel takes its own to change the process.
 */
final class LauberhornMix implements NicEffects {
    private static final int RUN_BITS = 16;
    private static final int THREADS = (1 << RUN_BITS) - 1;
    private static final int RUNS = 0x7fff;

    /**
     * Times, ns.
     *
     * @param decode of a frame in the NIC
     * @param receive of one line from the NIC to a core
     * @param send from a core's load of the other line until the NIC has the one before
     * @param kernelSwitch from the kernel's line to the first load of the thread
     * @param back from a thread's YIELDNOW to the kernel's load
     * @param interrupt until a core is back in the kernel
     * @param quantum of the policy; 0: none is pre-empted
     */
    record Times(long decode, long receive, long send, long kernelSwitch, long back, long interrupt, long quantum) {
        /** Until a load reaches the NIC. */
        long load() {
            return send / 2;
        }
    }

    private final MixLoad load;
    private final Times times;
    private final Events events = new Events();
    private final IntConsumer arrival = this::arrived;
    private final IntConsumer kernelLoad = this::kernelLoads;
    private final IntConsumer threadLoad = this::threadLoads;
    private final IntConsumer answer = this::comesBack;
    private final IntConsumer start = this::starts;
    private final IntConsumer end = this::ends;
    private final IntConsumer preemption = this::preempted;
    private final IntConsumer look = this::looks;
    private final NicEndpoint[] kernels;
    private final NicEndpoint[] threads;
    private final NicDispatch dispatch;
    private final QueueScheduler scheduler;
    private final int[] request;
    private final long[] startNanos;
    private final long[] leftNanos;
    private final int[] run;
    private final long[] latency;
    private long refused;
    private long lastNanos;
    private long busyNanos;
    private long switches;

    LauberhornMix(MixLoad load, int cores, int threadsEach, int queueEntries, Times times) {
        this.load = load;
        this.times = times;
        kernels = new NicEndpoint[cores];
        Arrays.setAll(kernels, core -> NicEndpoint.receive(0));
        threads = new NicEndpoint[load.services() * threadsEach];
        Arrays.setAll(threads, thread -> NicEndpoint.receive(1 + thread / threadsEach));
        dispatch = new NicDispatch(kernels, threads, load.services(), queueEntries, this);
        scheduler = new QueueScheduler(dispatch, id -> load.dueNanos()[id], times.quantum());
        request = new int[threads.length];
        startNanos = new long[threads.length];
        leftNanos = new long[load.count()];
        run = new int[threads.length];
        latency = new long[load.count()];
        Arrays.fill(latency, -1);
    }

    MixResult run(String name) {
        for (NicEndpoint kernel : kernels) {
            kernel.reset(1);
        }
        for (NicEndpoint thread : threads) {
            thread.reset(1);
        }
        for (int process = 1; process <= load.services(); process++) {
            dispatch.begin(process);
        }
        for (int core = 0; core < kernels.length; core++) {
            events.at(0, kernelLoad, core);
        }
        System.arraycopy(load.workNanos(), 0, leftNanos, 0, load.count());
        events.at(load.dueNanos()[0] + times.decode, arrival, 0);
        if (times.quantum > 0) {
            events.at(times.quantum, look);
        }
        while (events.step()) {
            while (scheduler.turn(events.now()) > 0) {
                // until it has nothing more to decide
            }
        }
        return MixResult.of(name, latency, refused, lastNanos, busyNanos, switches);
    }

    private void arrived(int id) {
        if (id + 1 < load.count()) {
            events.at(load.dueNanos()[id + 1] + times.decode, arrival, id + 1);
        }
        dispatch.arrived(1 + load.service()[id], id);
    }

    private void kernelLoads(int core) {
        if (kernels[core].load(kernels[core].expectedLoad(), 0, Long.MAX_VALUE / 2) == NicEndpoint.HOLD) {
            dispatch.kernelLoads(core);
        }
    }

    private void starts(int thread) {
        startNanos[thread] = events.now();
        events.at(events.now() + leftNanos[request[thread]], end, thread | run[thread] << RUN_BITS);
    }

    private void looks(int unused) {
        for (int core = 0; core < kernels.length; core++) {
            dispatch.press(core);
        }
        if (events.now() < load.dueNanos()[load.count() - 1]) {
            events.at(events.now() + times.quantum, look);
        }
    }

    private void threadLoads(int thread) {
        int actions = threads[thread].load(threads[thread].expectedLoad(), 0, Long.MAX_VALUE / 2);
        if (actions == NicEndpoint.FETCH) {
            events.at(events.now() + times.send - times.load(), answer, thread);
        } else {
            dispatch.threadLoads(thread);
        }
    }

    private void comesBack(int thread) {
        int id = dispatch.served(thread);
        latency[id] = events.now() - load.dueNanos()[id];
        lastNanos = events.now();
        threads[thread].fetched();
        dispatch.threadLoads(thread);
    }

    private void ends(int threadAndRun) {
        int thread = threadAndRun & THREADS;
        if (run[thread] != threadAndRun >>> RUN_BITS) {
            return; // it was pre-empted before
        }
        nextRun(thread);
        int id = request[thread];
        busyNanos += leftNanos[id];
        leftNanos[id] = 0;
        busyNanos += times.send;
        events.at(events.now() + times.load(), threadLoad, thread); // the load reaches the NIC
    }

    private void nextRun(int thread) {
        run[thread] = run[thread] + 1 & RUNS;
    }

    private void preempted(int core) {
        int thread = dispatch.running(core);
        if (thread == NicDispatch.NONE || dispatch.serving(thread) == NicDispatch.NONE || threads[thread].isHeld()
                || leftNanos[request[thread]] == 0 || startNanos[thread] == 0) {
            return; // it has ended meanwhile, and will be told to yield
        }
        int id = request[thread];
        long ran = events.now() - startNanos[thread];
        nextRun(thread);
        busyNanos += Math.min(ran, leftNanos[id]);
        leftNanos[id] = Math.max(1, leftNanos[id] - ran);
        startNanos[thread] = 0;
        busyNanos += times.back;
        events.at(events.now() + times.back, kernelLoad, core);
    }

    // ---- what the NIC does ---------------------------------------------------------------------------------------

    @Override
    public void deliver(int thread, int id) {
        threads[thread].fill(LineHead.REQUEST);
        request[thread] = id;
        startNanos[thread] = 0;
        busyNanos += times.receive;
        events.at(events.now() + times.receive, start, thread);
    }

    @Override
    public void yieldNow(int thread) {
        threads[thread].fill(LineHead.YIELD_NOW);
        int core = dispatch.coreOf(thread);
        if (core != NicDispatch.NONE) {
            busyNanos += times.receive + times.back;
            events.at(events.now() + times.receive + times.back, kernelLoad, core);
        }
    }

    @Override
    public void dispatch(int core, int thread, int life) {
        kernels[core].fill(LineHead.DISPATCH);
        switches++;
        busyNanos += times.receive + times.kernelSwitch;
        long resumed = events.now() + times.receive + times.kernelSwitch;
        startNanos[thread] = 0;
        if (dispatch.serving(thread) != NicDispatch.NONE && !threads[thread].isHeld()) {
            events.at(resumed, start, thread); // goes on where it was pre-empted
        } else {
            events.at(resumed + times.load(), threadLoad, thread);
        }
    }

    @Override
    public void retire(int core) {
        kernels[core].fill(LineHead.RETIRE);
    }

    @Override
    public void interrupt(int core) {
        events.at(events.now() + times.interrupt, preemption, core);
    }

    @Override
    public void refuse(int id, Refusal why) {
        refused++;
    }
}
