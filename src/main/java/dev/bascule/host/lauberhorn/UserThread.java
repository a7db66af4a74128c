package dev.bascule.host.lauberhorn;

import dev.bascule.lauberhorn.CoreGate;
import dev.bascule.lauberhorn.CpuLines;
import dev.bascule.lauberhorn.LineHead;
import dev.bascule.lauberhorn.ProcessLayout;
import dev.bascule.memory.Window;
import dev.bascule.ring.IdleStrategy;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The user-mode loop of one thread of a process: while it has a core it loads the lines of its endpoint, and jumps to where
 * a request says. It gives the core back when the NIC tells it to yield, and at a handler's yield point when the kernel asks.
 * <p>
 * Thread rule: {@link #run} on a thread of its own; the numbers may be read by any.
 */
final class UserThread implements Runnable {
    private static final int SPINS_BEFORE_SLEEP = 64;
    private static final long NAP_NANOS = 5_000_000;
    private static final VarHandle SERVED;

    static {
        try {
            SERVED = MethodHandles.lookup().findVarHandle(UserThread.class, "served", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int number;
    private final RpcHandler[] handlers;
    private final CpuLines lines;
    private final CoreGate gate;
    private final Sleeper own;
    private final IntFunction<Sleeper> kernelOf;
    private final RpcCall call;
    private final NestedClient client;
    private volatile boolean stopping;
    /** By SERVED: a volatile store would hold the next load back until the line that was written is this core's. */
    private long served;
    private volatile long failed;
    private volatile @Nullable Throwable lastFailure;
    private long grant;
    private int core;

    /**
     * A thread whose endpoint lies in this window.
     *
     * @param number in its process
     * @param handlers by code pointer
     * @param kernelOf wakes the kernel of a core
     */
    UserThread(int number, int process, RpcHandler[] handlers, Window window, ProcessLayout layout, IdleStrategy idle,
            Sleeper own, IntFunction<Sleeper> kernelOf, long patienceNanos) {
        this.number = number;
        this.handlers = handlers;
        this.own = own;
        this.kernelOf = kernelOf;
        lines = new CpuLines(window, layout.lines(), layout.requests(number), process, idle, patienceNanos);
        gate = new CoreGate(window, layout.gate(number));
        client = new NestedClient(this,
                new CpuLines(window, layout.lines(), layout.calls(number), process, idle, patienceNanos),
                new CpuLines(window, layout.lines(), layout.answers(number), process, idle, patienceNanos));
        call = new RpcCall(new Lines());
    }

    @Override
    public void run() {
        try {
            loop();
        } catch (IllegalStateException e) {
            if (!stopping) { // else the memory went with the process, while a handler was at work
                throw e;
            }
        }
    }

    private void loop() {
        lines.attach(); // the process began after this thread was made
        client.attach();
        grant = gate.returned(); // not granted(): the kernel may have been quicker than this thread
        while (!stopping) {
            awaitCore();
            while (!stopping && isOnCore()) {
                serve(lines.next());
            }
        }
        if (isOnCore()) {
            giveBack();
        }
    }

    /** Serves an answer of the NIC, by its kind. */
    private void serve(int kind) {
        switch (kind) {
            case LineHead.REQUEST -> request();
            case LineHead.YIELD_NOW -> giveBack();
            case LineHead.TRY_AGAIN -> {
                if (gate.isAsked(grant)) {
                    giveBack();
                }
            }
            default -> { // the NIC was restarted, or is gone
                lines.attach();
                client.attach();
                giveBack();
            }
        }
    }

    /** Jumps to where the line that was answered says; what comes back lies in it. */
    void request() {
        call.begin();
        long code = lines.codePointer();
        try {
            handlers[(int) code].handle(call);
            reply();
            SERVED.setRelease(this, served + 1); // one writer
        } catch (RuntimeException | Error e) {
            failed++;
            lastFailure = e;
            lines.begin(0);
            lines.end(LineHead.FAILED);
        }
    }

    /** The result goes into the line; it leaves with this thread's next load. */
    private void reply() {
        int words = call.resultWords();
        lines.begin(words * Long.BYTES);
        for (int i = 0; i < words; i++) {
            lines.put(i, call.result()[i]);
        }
        lines.end(LineHead.REPLY);
    }

    /** A call's place: the line that the NIC filled. */
    private final class Lines implements CallPlace {
        @Override
        public long payload(int word) {
            return lines.payload(word);
        }

        @Override
        public int bytes() {
            return lines.bytes();
        }

        @Override
        public long dataPointer() {
            return lines.dataPointer();
        }

        @Override
        public int owner() {
            return lines.owner();
        }

        @Override
        public void yieldPoint() {
            UserThread.this.yieldPoint();
        }

        @Override
        public NestedClient client() {
            return client;
        }
    }

    // ---- cores ---------------------------------------------------------------------------------------------------

    private boolean isOnCore() {
        return !gate.isBack(grant);
    }

    private void awaitCore() {
        int looks = 0;
        while (!stopping && gate.granted() == grant) {
            if (++looks < SPINS_BEFORE_SLEEP) {
                Thread.onSpinWait();
            } else {
                own.sleep(NAP_NANOS);
            }
        }
        if (!stopping) {
            grant = gate.granted();
            core = gate.core();
        }
    }

    private void giveBack() {
        gate.giveBack(grant);
        kernelOf.apply(core).wake();
    }

    /** Gives the core back if the kernel asks for it, and waits for the next one. */
    void yieldPoint() {
        if (gate.isAsked(grant)) {
            giveBack();
            awaitCore();
        }
    }

    /** The NIC said that the core is to go while this thread waits for an answer. */
    void yieldNow() {
        giveBack();
        awaitCore();
    }

    CpuLines lines() {
        return lines;
    }

    NestedClient client() {
        return client;
    }

    // ---- from outside --------------------------------------------------------------------------------------------

    /** Ends {@link #run} after the request that it serves. */
    void stop() {
        stopping = true;
        own.wake();
    }

    boolean isStopping() {
        return stopping;
    }

    /** Requests served. */
    long served() {
        return (long) SERVED.getAcquire(this);
    }

    /** Requests whose handler threw. */
    long failed() {
        return failed;
    }

    /** Throwable that a handler threw last; null if none did. */
    @Nullable
    Throwable lastFailure() {
        return lastFailure;
    }

    @Override
    public String toString() {
        return "thread " + number + " of process " + lines.owner();
    }
}
