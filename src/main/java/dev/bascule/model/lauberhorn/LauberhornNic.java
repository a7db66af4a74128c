package dev.bascule.model.lauberhorn;

import dev.bascule.lauberhorn.CoreDemand;
import dev.bascule.lauberhorn.CoreScheduler;
import dev.bascule.lauberhorn.LineHead;
import dev.bascule.lauberhorn.LineLayout;
import dev.bascule.lauberhorn.NicDispatch;
import dev.bascule.lauberhorn.NicEffects;
import dev.bascule.lauberhorn.NicEndpoint;
import dev.bascule.lauberhorn.NicLines;
import dev.bascule.lauberhorn.ProcessLayout;
import dev.bascule.lauberhorn.QueueScheduler;
import dev.bascule.lauberhorn.Refusal;
import dev.bascule.memory.SharedMemory;
import dev.bascule.memory.Window;
import dev.bascule.model.WireEnd;
import dev.bascule.model.lauberhorn.NicCounters.OfCore;
import dev.bascule.model.lauberhorn.NicCounters.OfProcess;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.ring.Clock;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.UdpFlow;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.IntConsumer;

/**
 * The NIC: takes requests from a wire, hands them to cores by the lines that these have loaded, and sends what comes back.
 * Nothing that a process, a core or a peer does makes it throw.
 * <p>
 * Thread rule: {@link #doWork} on the NIC's thread, or by one that steps it; {@link #execute} and {@link #counters} by any;
 * everything else on the NIC's thread, so by {@code execute}. Allocation-free on the way of a request, once its buffers
 * have grown.
 */
public final class LauberhornNic {
    private static final int BURST = 32;
    private static final long HOUSEKEEPING_NANOS = 1_000_000;
    private static final int RPC_OVERHEAD_BYTES = 512;

    private final LauberhornConfig config;
    private final WireEnd wire;
    private final Clock clock;
    private final NicCounters counters;
    private final ServiceTable table;
    private final RequestPool pool = new RequestPool();
    private final ReplyWriter writer;
    private final FrameReader reader;
    private final NicDispatch dispatch;
    private final KernelPort[] kernels;
    private final ThreadPort[] threads;
    private final NestedCalls nested;
    private final Settlement settlement;
    private final BypassPort bypass;
    private final ConcurrentLinkedQueue<Runnable> commands = new ConcurrentLinkedQueue<>();
    private final Interrupts interrupts;
    private CoreScheduler scheduler;
    private long nextHousekeepingNanos;
    private long nowNanos;
    private volatile long demand;

    /** Takes interrupts to cores. */
    @FunctionalInterface
    public interface Interrupts {
        /** A thread on the core is to give it up soon. Called on the NIC's thread; must not block. */
        void interrupt(int core);
    }

    /** A NIC without processes, whose cores have no kernel yet; its own policy decides, with a quantum of 1 ms. */
    public LauberhornNic(LauberhornConfig config, NicAddress address, WireEnd wire, Clock clock,
            Interrupts interrupts) {
        this.config = config;
        this.wire = wire;
        this.clock = clock;
        this.interrupts = interrupts;
        int mostBytes = Math.max(config.lines().mostRequestBytes(), config.lines().dmaBytes());
        int mostPayload = mostBytes + RPC_OVERHEAD_BYTES;
        counters = new NicCounters(config.cores(), config.processes());
        table = new ServiceTable(config.services());
        writer = new ReplyWriter(wire, counters, table, mostPayload);
        kernels = new KernelPort[config.cores()];
        Arrays.setAll(kernels, KernelPort::new);
        threads = new ThreadPort[config.processes() * config.threads()];
        Arrays.setAll(threads, thread -> new ThreadPort(thread, 1 + thread / config.threads()));
        NicEndpoint[] kernelEnds = Arrays.stream(kernels).map(port -> port.end).toArray(NicEndpoint[]::new);
        NicEndpoint[] threadEnds = Arrays.stream(threads).map(port -> port.requestEnd).toArray(NicEndpoint[]::new);
        dispatch = new NicDispatch(kernelEnds, threadEnds, config.processes(), config.queueEntries(), new Effects());
        nested = new NestedCalls(config, address, threads, table, pool, counters, writer, this::arrived);
        settlement = new Settlement(config, pool, writer, nested, counters);
        bypass = new BypassPort(counters, writer, config.times().tryAgainNanos());
        reader = new FrameReader(address, table, pool, writer, counters, new Target(), mostPayload, mostBytes);
        scheduler = new QueueScheduler(dispatch, this::arrivedNanos, 1_000_000);
    }

    private long arrivedNanos(int request) {
        return pool.get(request).arrivedNanos;
    }

    // ---- for the kernel ------------------------------------------------------------------------------------------

    /** Has the NIC's thread run something before its next round. Any thread. */
    public void execute(Runnable command) {
        commands.add(command);
    }

    /** Counters of the NIC. Any thread. */
    public NicCounters counters() {
        return counters;
    }

    /** State of the machine, as the NIC knows it. */
    public NicDispatch dispatch() {
        return dispatch;
    }

    /** Description of a core, as the NIC knows it, in words: for people who look for a fault. */
    public String describe(int core) {
        int thread = dispatch.running(core);
        int next = dispatch.next(core);
        String runs = thread == NicDispatch.NONE
                ? "kernel " + ends(kernels[core].end)
                : "thread " + thread + " " + ends(threads[thread].requestEnd);
        return "core " + core + ": " + runs + (dispatch.isRetired(core) ? ", retired" : "")
                + (next == NicDispatch.NONE
                        ? ""
                        : next == NicDispatch.RETIRING ? ", to retire" : ", then thread " + next);
    }

    private static String ends(NicEndpoint end) {
        return (end.isHeld() ? "waits" : end.isFetching() ? "comes back" : end.isServing() ? "serves" : "is away")
                + " after line " + end.number();
    }

    /**
     * The register that a driver reads when no line tells it anything, as long as all cores are with threads: a
     * {@link CoreDemand}, no older than a millisecond. Any thread.
     */
    public long demand() {
        return demand;
    }

    /** Requests that it has, queued or with cores. */
    public int inUse() {
        return pool.inUse();
    }

    /**
     * Lines that crossed the interconnect for cores and for the processes that are there: answers to loads, and lines that
     * were taken back with a payload. What went by DMA is not among them.
     */
    public long linesMoved() {
        long moved = 0;
        for (KernelPort kernel : kernels) {
            moved += kernel.lines();
        }
        for (ThreadPort thread : threads) {
            moved += thread.lines();
        }
        return moved;
    }

    /** Puts another policy in place of its own. */
    public void setScheduler(Function<NicDispatch, ? extends CoreScheduler> maker) {
        scheduler = maker.apply(dispatch);
    }

    /** The NIC's own policy with another quantum, ns; 0: a thread is not pre-empted. */
    public QueueScheduler queueScheduler(long quantumNanos) {
        return new QueueScheduler(dispatch, this::arrivedNanos, quantumNanos);
    }

    /** The kernel's generic endpoints, and with them all cores, begin a life. */
    public void attachKernel(Window window, ProcessLayout layout) {
        for (KernelPort kernel : kernels) {
            kernel.attach(window, layout);
        }
    }

    /** The kernel of one core begins another life: its thread was replaced. */
    public void resetKernel(int core) {
        kernels[core].reset();
    }

    /** Where frames that are no RPC go: an endpoint of the kernel, whose replies are frames to send. */
    public void attachBypass(Window window, ProcessLayout layout) {
        bypass.attach(window, layout);
    }

    /** A process begins: its threads' endpoints lie in the window. */
    public void beginProcess(int process, Window window, ProcessLayout layout) {
        for (int i = 0; i < config.threads(); i++) {
            ThreadPort port = threads[firstThread(process) + i];
            port.bind(window, layout, i);
            port.reset();
        }
        dispatch.begin(process);
    }

    /** A process is gone, with all it had; its number may be used again. */
    public void endProcess(int process, Refusal why) {
        table.remove(process);
        dispatch.end(process, why);
        for (int i = 0; i < config.threads(); i++) {
            ThreadPort port = threads[firstThread(process) + i];
            port.reset();
            port.unbind();
        }
    }

    /** The number of the process's first thread. */
    public int firstThread(int process) {
        return (process - 1) * config.threads();
    }

    /** Adds rows to the signature table; says why not, or the empty string. */
    public String addService(int process, Service service) {
        return table.add(process, service);
    }

    /** Adds rows for calls to other machines; says why not, or the empty string. */
    public String addImport(Service service) {
        return nested.addImport(service);
    }

    /** Where an IPv4 address is, for calls to other machines. */
    public void addNeighbour(int ipv4, long mac) {
        nested.addNeighbour(ipv4, mac);
    }

    /** As after a reset by the driver: requests are refused, all endpoints begin another life; tables stay. */
    public void restart() {
        for (int process = 1; process <= config.processes(); process++) {
            if (dispatch.isLive(process)) {
                dispatch.end(process, Refusal.RESTART);
                for (int i = 0; i < config.threads(); i++) {
                    threads[firstThread(process) + i].reset();
                }
                dispatch.begin(process);
            }
        }
        for (KernelPort kernel : kernels) {
            kernel.reset();
        }
        bypass.reset();
    }

    // ---- a round -------------------------------------------------------------------------------------------------

    /** One round; returns the work found. */
    public int doWork() {
        int work = 0;
        for (Runnable command = commands.poll(); command != null; command = commands.poll()) {
            command.run();
            work++;
        }
        nowNanos = clock.nanoTime();
        reader.nowNanos = nowNanos;
        work += wire.poll(reader, BURST);
        for (int core = 0; core < kernels.length; core++) {
            work += kernel(kernels[core]);
            int thread = dispatch.running(core);
            if (thread != NicDispatch.NONE) {
                work += thread(threads[thread], core);
            }
        }
        work += bypass.doWork(nowNanos);
        if (nowNanos - nextHousekeepingNanos >= 0) {
            nextHousekeepingNanos = nowNanos + HOUSEKEEPING_NANOS;
            housekeep();
        }
        return work + scheduler.turn(nowNanos);
    }

    private int kernel(KernelPort kernel) {
        if (kernel.end.isHeld()) {
            boolean isOver = nowNanos - kernel.end.deadlineNanos() >= 0;
            if (isOver && kernel.tick(nowNanos, demandNow())) {
                counters.add(kernel.core, OfCore.TRY_AGAINS);
                return 1;
            }
            return 0;
        }
        if (kernel.loads(nowNanos, config.times().tryAgainNanos())) {
            dispatch.kernelLoads(kernel.core);
            return 1;
        }
        return 0;
    }

    private IntConsumer onFault = process -> {};
    private long demandNow() {
        int queued = 0;
        for (int process = 1; process <= config.processes(); process++) {
            queued += dispatch.queued(process);
        }
        int idle = 0;
        int waiting = scheduler.waiting();
        for (int core = 0; core < kernels.length; core++) {
            idle += dispatch.isFree(core) || dispatch.isIdle(core) ? 1 : 0;
            waiting += dispatch.running(core) != NicDispatch.NONE && dispatch.next(core) >= 0 ? 1 : 0;
        }
        return CoreDemand.of(queued, waiting, idle);
    }

    private int thread(ThreadPort port, int core) {
        NicLines lines = port.requests;
        if (lines == null) {
            return 0;
        }
        try {
            int work = requests(port, lines, core);
            if (core != NicDispatch.NONE && port.requestEnd.isServing()) { // only a handler calls
                work += nested.doWork(port, nowNanos, dispatch.next(core) != NicDispatch.NONE);
            }
            SharedMemory.faultNow();
            return work;
        } catch (InternalError e) {
            return faulted(port, e);
        }
    }

    /** Memory of the process's lines is not there: the process is to end, and nothing else. */
    private int faulted(ThreadPort port, InternalError e) {
        if (!SharedMemory.isTruncation(e)) {
            throw e;
        }
        for (int i = 0; i < config.threads(); i++) {
            threads[firstThread(port.process) + i].unbind();
        }
        commands.add(() -> {
            endProcess(port.process, Refusal.PROCESS_GONE);
            onFault.accept(port.process);
        });
        return 1;
    }

    /** Hears on the NIC's thread of each process that has ended because memory of its lines is not there. */
    public void onFault(IntConsumer told) {
        onFault = told;
    }

    private int requests(ThreadPort port, NicLines lines, int core) {
        NicEndpoint end = port.requestEnd;
        if (end.isHeld()) {
            if (lines.tick(nowNanos, 0) != 0) {
                countTryAgain(core);
                return 1;
            }
            return 0;
        }
        int actions = lines.poll(nowNanos, config.times().tryAgainNanos());
        if ((actions & NicEndpoint.FETCH) != 0) {
            port.requestDueNanos = nowNanos + settlement.fetchNanos(lines);
        }
        if (end.isFetching() && nowNanos - port.requestDueNanos >= 0) {
            int served = dispatch.served(port.thread);
            if (served != NicDispatch.NONE) {
                settlement.comesBack(pool.get(served), lines);
            }
            actions |= end.fetched();
        }
        if ((actions & NicEndpoint.HOLD) != 0) {
            dispatch.threadLoads(port.thread);
        }
        return actions == 0 ? 0 : 1;
    }

    private void countTryAgain(int core) {
        if (core != NicDispatch.NONE) {
            counters.add(core, OfCore.TRY_AGAINS);
        }
    }

    private void arrived(Request request) {
        int process = request.known().process();
        counters.add(process, OfProcess.REQUESTS);
        if (dispatch.arrived(process, request.id)) {
            counters.queued(process, dispatch.queued(process));
        }
    }

    /** Sees to what need not be looked at all the time: threads that are on no core, requests that wait too long. */
    private void housekeep() {
        long strays = 0;
        for (ThreadPort port : threads) {
            NicLines lines = port.requests;
            if (lines == null) {
                continue;
            }
            strays += lines.strays();
            if (dispatch.coreOf(port.thread) == NicDispatch.NONE) {
                thread(port, NicDispatch.NONE);
            }
            nested.expire(port, nowNanos);
        }
        counters.set(Total.STRAY_LOADS, strays);
        for (int process = 1; process <= config.processes(); process++) {
            int oldest = dispatch.oldest(process);
            while (oldest != NicDispatch.NONE && nowNanos - arrivedNanos(oldest) > config.times().queueNanos()) {
                dispatch.refuseOldest(process, Refusal.TOO_LATE);
                oldest = dispatch.oldest(process);
            }
        }
        for (int core = 0; core < kernels.length; core++) {
            dispatch.press(core);
        }
        demand = demandNow();
    }

    // ---- effects -------------------------------------------------------------------------------------------------

    private final class Target implements FrameReader.Target {
        @Override
        public void request(Request request) {
            arrived(request);
        }

        @Override
        public void reply(OncRpc head, UdpFlow back, byte[] payload, int bytes) {
            nested.reply(head, back, payload, bytes);
        }

        @Override
        public void bypass(byte[] data, int offset, int bytes) {
            bypass.take(data, offset, bytes);
        }
    }

    private final class Effects implements NicEffects {
        @Override
        public void deliver(int thread, int id) {
            Request request = pool.get(id);
            NicLines lines = threads[thread].requests;
            if (lines == null) {
                return;
            }
            boolean byDma = request.bytes > config.dmaThresholdBytes()
                    || request.bytes > config.lines().mostRequestBytes();
            if (byDma) {
                counters.add(Total.BY_DMA);
            }
            try {
                lines.fill(LineHead.REQUEST, request.known().procedure().codePointer(),
                        request.known().service().dataPointer(), request.words, request.bytes,
                        byDma ? LineLayout.BY_DMA : 0);
                SharedMemory.faultNow();
            } catch (InternalError e) {
                faulted(threads[thread], e);
            }
            counters.add(dispatch.coreOf(thread), OfCore.DELIVERED);
        }

        @Override
        public void yieldNow(int thread) {
            NicLines lines = threads[thread].requests;
            try {
                if (lines != null && lines.fill(LineHead.YIELD_NOW, 0, 0) != 0) {
                    int core = dispatch.coreOf(thread);
                    if (core != NicDispatch.NONE) {
                        counters.add(core, OfCore.YIELDS);
                    }
                }
                SharedMemory.faultNow();
            } catch (InternalError e) {
                faulted(threads[thread], e);
            }
        }

        @Override
        public void dispatch(int core, int thread, int life) {
            if (kernels[core].fill(LineHead.DISPATCH, (long) life << 32 | thread, demandNow())) {
                counters.add(core, OfCore.DISPATCHED);
            }
        }

        @Override
        public void retire(int core) {
            if (kernels[core].fill(LineHead.RETIRE, 0, demandNow())) {
                counters.add(core, OfCore.RETIRED);
            }
        }

        @Override
        public void interrupt(int core) {
            counters.add(core, OfCore.INTERRUPTS);
            interrupts.interrupt(core);
        }

        @Override
        public void refuse(int request, Refusal why) {
            settlement.refuse(pool.get(request), why);
        }
    }
}
