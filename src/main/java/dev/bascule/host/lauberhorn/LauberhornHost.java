package dev.bascule.host.lauberhorn;

import dev.bascule.ffi.EventFd;
import dev.bascule.ffi.Steps;
import dev.bascule.ffi.WatchedTime;
import dev.bascule.lauberhorn.CpuLines;
import dev.bascule.lauberhorn.LineLayout;
import dev.bascule.lauberhorn.NicDispatch;
import dev.bascule.lauberhorn.ProcessLayout;
import dev.bascule.lauberhorn.Refusal;
import dev.bascule.model.WireEnd;
import dev.bascule.model.lauberhorn.LauberhornConfig;
import dev.bascule.model.lauberhorn.LauberhornNic;
import dev.bascule.model.lauberhorn.LineMemory;
import dev.bascule.model.lauberhorn.NicAddress;
import dev.bascule.model.lauberhorn.NicCounters;
import dev.bascule.model.lauberhorn.Service;
import dev.bascule.ring.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A machine whose NIC is part of the operating system: the model of the NIC on a thread of its own, a kernel for each core,
 * and processes. Requests come from the wire, handlers run on the core that took the line, answers leave by the wire.
 * <p>
 * Thread rule: any thread, but {@link #close} once, by its owner.
 */
public final class LauberhornHost implements AutoCloseable {
    private static final int BYPASS_BYTES = 16_384;

    private final LauberhornConfig config;
    private final LauberhornOptions options;
    private final LauberhornNic nic;
    private final ProcessLayout layout;
    private final LineMemory kernelMemory;
    private final LineMemory bypassMemory;
    private final Cores cores;
    private final NicThread nicThread;
    private final BypassLoop bypass;
    private final Table table;
    private final List<EventFd> coreEvents = new ArrayList<>();
    private final Steps steps;
    private @Nullable ProcessServer door;

    private LauberhornHost(Steps steps, LauberhornConfig config, NicAddress address, WireEnd wire,
            LauberhornOptions options) {
        this.steps = steps;
        this.config = config;
        this.options = options;
        layout = new ProcessLayout(config.lines(), config.threads());
        table = new Table(config);
        CoreKernel[] kernels = new CoreKernel[config.cores()];
        nic = new LauberhornNic(config, address, wire, watched(config.times()), core -> kernels[core].interrupt());
        long lineNanos = config.costs().lineNanos();
        ProcessLayout generic = new ProcessLayout(new LineLayout(config.lines().lineBytes(), 0, 0), config.cores());
        ProcessLayout frames = new ProcessLayout(new LineLayout(config.lines().lineBytes(), 0, BYPASS_BYTES), 1);
        kernelMemory = steps.add(LineMemory.create(generic, lineNanos), LineMemory::close);
        bypassMemory = steps.add(LineMemory.create(frames, lineNanos), LineMemory::close);
        nic.attachKernel(kernelMemory.nic(), generic);
        nic.attachBypass(bypassMemory.nic(), frames);
        nic.onFault(table::kill);
        nic.setScheduler(dispatch -> options.scheduler().apply(nic));
        bypass = new BypassLoop(lines(bypassMemory, 0), new BypassFrames(address));
        for (int core = 0; core < kernels.length && options.directory() != null; core++) {
            coreEvents.add(steps.add(EventFd.create(), EventFd::close));
        }
        nicThread = new NicThread(nic, options);
        cores = new Cores(kernels, nic, nicThread, this::kernel, options);
    }

    /**
     * A running host without processes.
     *
     * @throws IllegalArgumentException if the options name a CPU that the calling thread may not use
     */
    public static LauberhornHost start(LauberhornConfig config, NicAddress address, WireEnd wire,
            LauberhornOptions options) {
        options.checkCpus();
        LauberhornHost host = made(config, address, wire, options);
        try {
            host.nicThread.start();
            host.cores.start();
            host.bypass.start();
            if (options.directory() != null) {
                host.door = new ProcessServer(host, options.directory(), host.coreEvents);
            }
        } catch (RuntimeException | Error e) {
            host.close();
            throw e;
        }
        return host;
    }

    private static LauberhornHost made(LauberhornConfig config, NicAddress address, WireEnd wire,
            LauberhornOptions options) {
        Steps steps = new Steps();
        try {
            return new LauberhornHost(steps, config, address, wire, options);
        } catch (RuntimeException | Error e) {
            steps.close();
            throw e;
        }
    }

    private CpuLines lines(LineMemory memory, int thread) {
        return new CpuLines(memory.cpu(), memory.layout().lines(), memory.layout().requests(thread), 0,
                options.idle().get(), options.patienceNanos());
    }

    private CoreKernel kernel(int core, LongConsumer told) {
        Sleeper sleeper = coreEvents.isEmpty() ? new Sleeper.Local() : new Sleeper.Event(coreEvents.get(core));
        return new CoreKernel(core, lines(kernelMemory, core), table, sleeper, options.criticalNanos(), told);
    }

    // ---- processes -----------------------------------------------------------------------------------------------

    /**
     * Starts a process as threads of this JVM.
     *
     * @throws IllegalArgumentException if the NIC has no room for it or a service of it is served already
     */
    public RpcProcess startProcess(String name, JavaService... services) {
        return startProcess(name, List.of(services));
    }

    /**
     * Starts a process as threads of this JVM.
     *
     * @throws IllegalArgumentException if the NIC has no room for it or a service of it is served already
     */
    public RpcProcess startProcess(String name, List<JavaService> services) {
        int number = table.reserve(name);
        LineMemory memory = LineMemory.create(layout, config.costs().lineNanos());
        LocalBody body = new LocalBody(number, RpcProcess.handlers(services), memory, options, cores::sleeper);
        RpcProcess process = new RpcProcess(this, number, name, services, memory, body, nic.firstThread(number));
        begin(process);
        body.start();
        return process;
    }

    /** Tells the NIC of a process whose memory is there; takes all back if it refuses. */
    void begin(RpcProcess process) {
        table.put(process);
        String refused = nicThread.call(() -> {
            nic.beginProcess(process.number(), process.memory().nic(), layout);
            table.learn(nic.dispatch());
            String why = "";
            for (Service row : RpcProcess.rows(process.services())) {
                why = why.isEmpty() ? nic.addService(process.number(), row) : why;
            }
            return why;
        });
        if (!refused.isEmpty()) {
            ended(process);
            throw new IllegalArgumentException("start " + process + ": " + refused);
        }
    }

    /** The process is gone, however that came: the NIC refuses what it had. */
    void ended(RpcProcess process) {
        if (!table.remove(process)) {
            return; // somebody else noticed
        }
        process.setGone();
        nicThread.call(() -> {
            nic.endProcess(process.number(), Refusal.PROCESS_GONE);
            table.learn(nic.dispatch());
            return true;
        });
        cores.wake();
        table.forget(process);
    }

    void leave(RpcProcess process) {
        process.body().stop();
        ended(process);
    }

    /** Processes that are there. */
    public List<RpcProcess> processes() {
        return table.processes();
    }

    /** A process of the operating system that joined. */
    RpcProcess remote(String name, List<JavaService> services, RpcProcess.Body body) {
        int number = table.reserve(name);
        LineMemory memory;
        try {
            memory = LineMemory.create(layout, config.costs().lineNanos());
        } catch (RuntimeException e) {
            table.free(number);
            throw e;
        }
        RpcProcess process = new RpcProcess(this, number, name, services, memory, body, nic.firstThread(number));
        begin(process);
        return process;
    }

    // ---- the machine ---------------------------------------------------------------------------------------------

    /** Sizes. */
    public LauberhornConfig config() {
        return config;
    }

    ProcessLayout layout() {
        return layout;
    }

    /** Counters of the NIC. */
    public NicCounters counters() {
        return nic.counters();
    }

    /** Requests that are with the NIC or with cores now. */
    public int inUse() {
        return nicThread.call(nic::inUse);
    }

    /** Lines that crossed the interconnect; see {@link LauberhornNic#linesMoved}. */
    public long linesMoved() {
        return nicThread.call(nic::linesMoved);
    }

    /** Cores in a state: {@code kernel}, {@code user}, {@code retired}. */
    public List<String> cores() {
        return cores.states();
    }

    /** How many do RPC, and how often that changed. */
    public CoreUse coreUse() {
        return cores.use();
    }

    /** Description of each core as the NIC and the kernels know it, a line a core: for people who look for a fault. */
    public List<String> describe() {
        List<String> known = new ArrayList<>();
        for (int core = 0; core < cores.count(); core++) {
            int number = core;
            known.add(nicThread.call(() -> nic.describe(number)) + "; kernel: " + cores.state(core) + ", thread "
                    + table.threadOn(core));
        }
        return known;
    }

    /** Times that a core was given to a thread. */
    public long switches() {
        return cores.switches();
    }

    /** The core leaves RPC work as soon as what runs there ends or yields; only {@link #admit} brings it back. */
    public void retire(int core) {
        cores.retire(core);
    }

    /** A retired core does RPC again. */
    public void admit(int core) {
        cores.admit(core);
    }

    /** Has the NIC import a service of other machines, for nested calls. */
    public void importService(JavaService service) {
        Service row = RpcProcess.rows(List.of(service)).getFirst();
        String refused = nicThread.call(() -> nic.addImport(row));
        if (!refused.isEmpty()) {
            throw new IllegalArgumentException("import " + service + ": " + refused);
        }
    }

    /** Says where an IPv4 address is, for nested calls to other machines. */
    public void addNeighbour(int ipv4, long mac) {
        nic.execute(() -> nic.addNeighbour(ipv4, mac));
    }

    /** Restarts the NIC, as its driver would after a fault: what it had is refused. */
    public void restartNic() {
        nicThread.call(() -> {
            nic.restart();
            table.learn(nic.dispatch());
            return true;
        });
    }

    /** The kernel's thread of a core crashes where it stands, and another takes its place. */
    public void crashKernel(int core) {
        cores.crash(core, table::threadOn, options.patienceNanos() / 1_000_000);
    }

    /** Why the NIC's thread ended, if it did: a bug. */
    public @Nullable Throwable failure() {
        return nicThread.failure();
    }

    /** Stops processes, kernels and the NIC. The wire stays the caller's. */
    @Override
    public void close() {
        if (door != null) {
            door.close();
        }
        for (RpcProcess process : table.processes()) {
            process.close();
        }
        cores.stop();
        bypass.stop();
        nic.execute(nic::restart); // ends loads that are held: nobody waits for their bound
        try {
            cores.join();
            bypass.join();
            nicThread.stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        steps.close();
    }

    /** The NIC's time stands while its thread was away: what waits for it was not served meanwhile, and is not late. */
    private static Clock watched(LauberhornConfig.Times times) {
        WatchedTime time = new WatchedTime(Math.max(1, Math.min(times.queueNanos(), times.answerNanos()) / 4));
        return () -> time.at(System.nanoTime());
    }

    /** Processes and threads that there are, and where. One lock, for moments. */
    private final class Table implements CoreKernel.ProcessTable {
        private final @Nullable RpcProcess[] processes;
        private final boolean[] reserved;
        private final int[] onCore;
        private final @Nullable RpcProcess[] claimed;
        private final int[] lives;

        Table(LauberhornConfig config) {
            processes = new RpcProcess[config.processes() + 1];
            reserved = new boolean[processes.length];
            onCore = new int[config.processes() * config.threads()];
            Arrays.fill(onCore, NicDispatch.NONE);
            claimed = new RpcProcess[onCore.length];
            lives = new int[onCore.length];
        }

        /** The lives of threads, before the NIC can tell a kernel of any. The NIC's thread. */
        synchronized void learn(NicDispatch nic) {
            Arrays.setAll(lives, nic::life);
        }

        synchronized int reserve(String name) {
            for (int number = 1; number < reserved.length; number++) {
                if (!reserved[number]) {
                    reserved[number] = true;
                    return number;
                }
            }
            throw new IllegalArgumentException("start " + name + ": the NIC holds " + (reserved.length - 1)
                    + " processes, and all are there; end one, or configure more");
        }

        synchronized void put(RpcProcess process) {
            processes[process.number()] = process;
        }

        synchronized boolean remove(RpcProcess process) {
            boolean isThere = processes[process.number()] == process;
            if (isThere) {
                processes[process.number()] = null;
            }
            return isThere;
        }

        /** Kills a process whose lines are not there; its end is noticed as any other's. */
        synchronized void kill(int number) {
            RpcProcess process = processes[number];
            if (process != null) {
                process.body().kill();
            }
        }

        synchronized void free(int number) {
            reserved[number] = false;
        }

        synchronized List<RpcProcess> processes() {
            List<RpcProcess> all = new ArrayList<>();
            for (RpcProcess process : processes) {
                if (process != null) {
                    all.add(process);
                }
            }
            return all;
        }

        synchronized int threadOn(int core) {
            for (int thread = 0; thread < onCore.length; thread++) {
                if (onCore[thread] == core) {
                    return thread;
                }
            }
            return NicDispatch.NONE;
        }

        @Override
        public synchronized @Nullable RpcProcess claimedBy(int thread) {
            return thread < 0 ? null : claimed[thread];
        }

        @Override
        public synchronized @Nullable RpcProcess claim(int thread, int life, int core) {
            boolean isThere = thread >= 0 && thread < onCore.length && onCore[thread] == NicDispatch.NONE
                    && lives[thread] == life;
            RpcProcess process = isThere ? processes[1 + thread / config.threads()] : null;
            if (process != null) {
                onCore[thread] = core;
                claimed[thread] = process;
            }
            return process;
        }

        @Override
        public synchronized void release(RpcProcess process, int thread) {
            onCore[thread] = NicDispatch.NONE;
            claimed[thread] = null;
            closeUnused(process);
        }

        /** The NIC has forgotten the process: its number is free, its memory as soon as no kernel looks at it. */
        synchronized void forget(RpcProcess process) {
            reserved[process.number()] = false;
            process.setForgotten();
            closeUnused(process);
        }

        private void closeUnused(RpcProcess process) {
            boolean isUsed = Arrays.asList(claimed).contains(process);
            if (process.isForgotten() && !isUsed) {
                process.memory().close();
            }
        }

        @Override
        public void overrun(RpcProcess process) {
            process.kill();
        }
    }
}
