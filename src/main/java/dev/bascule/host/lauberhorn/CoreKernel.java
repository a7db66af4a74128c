package dev.bascule.host.lauberhorn;

import dev.bascule.ffi.Patience;
import dev.bascule.lauberhorn.CoreDemand;
import dev.bascule.lauberhorn.CoreGate;
import dev.bascule.lauberhorn.CpuLines;
import dev.bascule.lauberhorn.LineHead;
import dev.bascule.memory.SharedMemory;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The kernel-mode loop of one core: loads the core's generic endpoint, and lets the thread run that the NIC names. While a
 * thread has the core, this loop only waits for it to come back, asks for it when an interrupt came, and ends the process
 * that does not let go.
 * <p>
 * Thread rule: {@link #run} on a thread of its own; {@link #interrupt} by the NIC's, the numbers by any.
 */
final class CoreKernel implements Runnable {
    /** State of a core. */
    enum State {
        /** Waits in the kernel. */
        KERNEL,
        /** A thread has it. */
        USER,
        /** Out of RPC work. */
        RETIRED
    }

    private static final int SPINS_BEFORE_SLEEP = 64;
    private static final long NAP_NANOS = 2_000_000;

    private final int core;
    private final CpuLines lines;
    private final ProcessTable table;
    private final Sleeper own;
    private final long criticalNanos;
    private final LongConsumer told;
    private volatile boolean stopping;
    private volatile boolean crashed;
    private volatile boolean interrupted;
    private volatile boolean mayReturn;
    private volatile State state = State.KERNEL;
    private volatile long switches;
    private int adopted = -1;

    /**
     * The kernel of a core.
     *
     * @param table whose threads there are
     * @param criticalNanos how long a thread may keep a core that is asked back
     * @param told takes each {@link CoreDemand} that a line brings
     */
    CoreKernel(int core, CpuLines lines, ProcessTable table, Sleeper own, long criticalNanos, LongConsumer told) {
        this.core = core;
        this.lines = lines;
        this.table = table;
        this.own = own;
        this.criticalNanos = criticalNanos;
        this.told = told;
    }

    /** This kernel takes the place of one that crashed while a thread had the core. */
    CoreKernel adopting(int thread) {
        adopted = thread;
        return this;
    }

    @Override
    public void run() {
        if (adopted >= 0) {
            adopt(adopted);
        }
        while (!stopping && !crashed) {
            switch (lines.next()) {
                case LineHead.DISPATCH -> let((int) lines.word(2), (int) (lines.word(2) >>> 32));
                case LineHead.RETIRE -> retire();
                case LineHead.TRY_AGAIN -> told.accept(lines.word(2)); // here a real kernel calls schedule()
                default -> lines.attach();
            }
        }
    }

    private void adopt(int thread) {
        RpcProcess process = table.claimedBy(thread);
        if (process != null) {
            CoreGate gate = process.gate(thread);
            state = State.USER;
            awaitReturn(process, gate, gate.granted());
            table.release(process, thread);
            state = State.KERNEL;
        }
    }

    private void let(int thread, int life) {
        told.accept(lines.word(3));
        RpcProcess process = table.claim(thread, life, core);
        if (process == null) {
            return; // gone meanwhile, or on another core: decided before a death or a restart
        }
        interrupted = false;
        state = State.USER;
        switches++; // one writer
        run(process, thread);
        if (crashed) {
            return;
        }
        table.release(process, thread);
        state = State.KERNEL;
    }

    private void run(RpcProcess process, int thread) {
        try {
            CoreGate gate = process.gate(thread);
            long grant = gate.grant(core);
            process.sleeper(thread).wake();
            awaitReturn(process, gate, grant);
            SharedMemory.faultNow();
        } catch (InternalError e) {
            if (!SharedMemory.isTruncation(e)) {
                throw e;
            }
            table.overrun(process); // memory of its gate is not there
        }
    }

    private void awaitReturn(RpcProcess process, CoreGate gate, long grant) {
        int looks = 0;
        Patience patience = null;
        while (!gate.isBack(grant) && !process.isGone() && !crashed) {
            if (stopping || interrupted) {
                patience = patience == null ? new Patience(criticalNanos) : patience;
                gate.ask(grant);
                if (patience.isOver()) {
                    table.overrun(process);
                    return;
                }
            }
            if (++looks < SPINS_BEFORE_SLEEP) {
                Thread.onSpinWait();
            } else {
                own.sleep(NAP_NANOS);
            }
        }
    }

    private void retire() {
        state = State.RETIRED;
        told.accept(lines.word(3));
        while (!stopping && !crashed && !mayReturn) {
            own.sleep(NAP_NANOS);
        }
        state = State.KERNEL;
    }

    // ---- from outside --------------------------------------------------------------------------------------------

    /** The thread on this core is to give it up at its next yield point. */
    void interrupt() {
        interrupted = true;
        own.wake();
    }

    /** A core that retires stays away, from now until {@link #admit}: which may come before the NIC's word does. */
    void stayAway() {
        mayReturn = false;
    }

    /** A retired core does RPC again. */
    void admit() {
        mayReturn = true;
        own.wake();
    }

    void stop() {
        stopping = true;
        own.wake();
    }

    /** Ends the loop where it stands, as a crash of the kernel's thread would: whoever has the core keeps it. */
    void crash() {
        crashed = true;
        own.wake();
    }

    Sleeper sleeper() {
        return own;
    }

    State state() {
        return state;
    }

    /** Times that it let a thread run. */
    long switches() {
        return switches;
    }

    /** Interface to the tables of the host. */
    interface ProcessTable {
        /**
         * The process of the thread, if it lives, the NIC still has the thread in this life, and it is on no core; from
         * now on it is on this one.
         */
        @Nullable
        RpcProcess claim(int thread, int life, int core);

        /** The process whose thread is on a core, as it was claimed. */
        @Nullable
        RpcProcess claimedBy(int thread);

        /** The thread is on no core any more; a process that is gone gives up its memory with its last one. */
        void release(RpcProcess process, int thread);

        /** The process does not let go of a core. */
        void overrun(RpcProcess process);
    }
}
