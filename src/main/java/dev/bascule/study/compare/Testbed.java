package dev.bascule.study.compare;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Watchdog;
import dev.bascule.host.Session;
import dev.bascule.run.GcLog;
import dev.bascule.host.AgentLog;
import dev.bascule.host.AgentProcess;
import dev.bascule.host.AgentSupervisor;
import dev.bascule.memory.ScratchFolder;
import java.util.List;
import java.util.function.Supplier;

/** One transport with its host and its agent's process, in a run directory that goes with it, also after Ctrl-C. */
final class Testbed implements AutoCloseable {
    private static final long WARM_NANOS = 400_000_000;
    private static final long MOST_WARM_NANOS = 5_000_000_000L;

    private final ScratchFolder folder;
    private final Session session;
    private final SoloHost host;
    private final Thread killer;

    private Testbed(ScratchFolder folder, Session session, SoloHost host, Thread killer) {
        this.folder = folder;
        this.session = session;
        this.host = host;
        this.killer = killer;
    }

    /** With the bench's limits. */
    static Testbed open(Bench bench, String transport, int cpus, boolean collecting) throws InterruptedException {
        return open(bench, transport, cpus, collecting, () -> new Watchdog(bench.softNanos(), bench.hardNanos()));
    }

    /** Opened, agent ready, everything compiled that soon will run. */
    static Testbed open(Bench bench, String transport, int cpus, boolean collecting, Supplier<Watchdog> watchdogs)
            throws InterruptedException {
        ScratchFolder folder = Session.newRunDirectory();
        Session session = bench.sessions().apply(transport, folder.path());
        AgentSupervisor agent = bench.agents().apply(session, collecting);
        Thread killer = new Thread(() -> crash(agent)); // on Ctrl-C: it may stand still by our own signal
        Runtime.getRuntime().addShutdownHook(killer);
        EnclaveShape shape = new EnclaveShape(cpus, 16 * cpus + 16, 1, bench.channelEntries(), bench.staged());
        SoloHost host = new SoloHost(session.openHost(shape), watchdogs, List.of(agent), bench.seed(),
                bench.hostCore());
        Testbed bed = new Testbed(folder, session, host, killer);
        try {
            host.start();
            SoloLoad load = new SoloLoad(8 * cpus, 10_000, 1_000, true);
            host.run(load, WARM_NANOS);
            host.run(load, MOST_WARM_NANOS, host::isAgentWarm);
        } catch (InterruptedException | RuntimeException | Error e) {
            bed.close();
            throw e;
        }
        return bed;
    }

    private static void crash(AgentSupervisor agent) {
        if (agent instanceof AgentProcess process) {
            process.crash();
        }
    }

    SoloHost host() {
        return host;
    }

    /** The collector's pauses of all agents of this bed so far, ms; empty unless they were logged. */
    List<Double> collectorPausesMillis() {
        return GcLog.pausesMillis(folder.path());
    }

    @Override
    public void close() {
        host.close();
        session.close();
        try {
            Runtime.getRuntime().removeShutdownHook(killer);
        } catch (IllegalStateException e) {
            // the process ends: the hooks do the rest
        }
        AgentLog.keepIn(folder);
        folder.close();
    }
}
