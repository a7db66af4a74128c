package dev.bascule.workload.lauberhorn;

import dev.bascule.lauberhorn.LineHead;
import dev.bascule.lauberhorn.NicDispatch;
import dev.bascule.lauberhorn.NicEffects;
import dev.bascule.lauberhorn.NicEndpoint;
import dev.bascule.lauberhorn.QueueScheduler;
import dev.bascule.lauberhorn.Refusal;
import java.util.Arrays;

/**
 * A {@link MixLoad} behind Lauberhorn's NIC in virtual time: the machines, the dispatcher and the policy are those of
 * production; lines take their time on the interconnect, and the kernel takes its own to change the process.
 */
final class LauberhornMix implements NicEffects {
    private static final int ARRIVES = 0;
    private static final int KERNEL_LOADS = 1;
    private static final int THREAD_LOADS = 2;
    private static final int COMES_BACK = 3;
    private static final int STARTS = 4;
    private static final int ENDS = 5;
    private static final int PREEMPTED = 6;
    private static final int LOOK = 7;
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
            events.add(0, KERNEL_LOADS, core);
        }
        System.arraycopy(load.workNanos(), 0, leftNanos, 0, load.count());
        events.add(load.dueNanos()[0] + times.decode, ARRIVES, 0);
        if (times.quantum > 0) {
            events.add(times.quantum, LOOK, 0);
        }
        while (events.next()) {
            step(events.kind(), events.number());
            while (scheduler.turn(events.now()) > 0) {
                // until it has nothing more to decide
            }
        }
        return MixResult.of(name, latency, refused, lastNanos, busyNanos, switches);
    }

    private void step(int kind, int number) {
        switch (kind) {
            case ARRIVES -> {
                if (number + 1 < load.count()) {
                    events.add(load.dueNanos()[number + 1] + times.decode, ARRIVES, number + 1);
                }
                dispatch.arrived(1 + load.service()[number], number);
            }
            case KERNEL_LOADS -> {
                if (kernels[number].load(kernels[number].expectedLoad(), 0, Long.MAX_VALUE / 2) == NicEndpoint.HOLD) {
                    dispatch.kernelLoads(number);
                }
            }
            case THREAD_LOADS -> threadLoads(number);
            case COMES_BACK -> comesBack(number);
            case STARTS -> {
                startNanos[number] = events.now();
                events.add(events.now() + leftNanos[request[number]], ENDS, number | run[number] << RUN_BITS);
            }
            case ENDS -> ends(number & THREADS, number >>> RUN_BITS);
            case PREEMPTED -> preempted(number);
            default -> {
                for (int core = 0; core < kernels.length; core++) {
                    dispatch.press(core);
                }
                if (events.now() < load.dueNanos()[load.count() - 1]) {
                    events.add(events.now() + times.quantum, LOOK, 0);
                }
            }
        }
    }

    private void threadLoads(int thread) {
        int actions = threads[thread].load(threads[thread].expectedLoad(), 0, Long.MAX_VALUE / 2);
        if (actions == NicEndpoint.FETCH) {
            events.add(events.now() + times.send - times.load(), COMES_BACK, thread);
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

    private void ends(int thread, int ofRun) {
        if (run[thread] != ofRun) {
            return; // it was pre-empted before
        }
        nextRun(thread);
        int id = request[thread];
        busyNanos += leftNanos[id];
        leftNanos[id] = 0;
        busyNanos += times.send;
        events.add(events.now() + times.load(), THREAD_LOADS, thread); // the load reaches the NIC
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
        events.add(events.now() + times.back, KERNEL_LOADS, core);
    }

    // ---- what the NIC does ---------------------------------------------------------------------------------------

    @Override
    public void deliver(int thread, int id) {
        threads[thread].fill(LineHead.REQUEST);
        request[thread] = id;
        startNanos[thread] = 0;
        busyNanos += times.receive;
        events.add(events.now() + times.receive, STARTS, thread);
    }

    @Override
    public void yieldNow(int thread) {
        threads[thread].fill(LineHead.YIELD_NOW);
        int core = dispatch.coreOf(thread);
        if (core != NicDispatch.NONE) {
            busyNanos += times.receive + times.back;
            events.add(events.now() + times.receive + times.back, KERNEL_LOADS, core);
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
            events.add(resumed, STARTS, thread); // goes on where it was pre-empted
        } else {
            events.add(resumed + times.load(), THREAD_LOADS, thread);
        }
    }

    @Override
    public void retire(int core) {
        kernels[core].fill(LineHead.RETIRE);
    }

    @Override
    public void interrupt(int core) {
        events.add(events.now() + times.interrupt, PREEMPTED, core);
    }

    @Override
    public void refuse(int id, Refusal why) {
        refused++;
    }
}
