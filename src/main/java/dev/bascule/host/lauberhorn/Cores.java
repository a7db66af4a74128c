package dev.bascule.host.lauberhorn;

import dev.bascule.ffi.OwnThread;
import dev.bascule.lauberhorn.NicDispatch;
import dev.bascule.model.lauberhorn.LauberhornNic;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntUnaryOperator;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The cores of a host: a kernel each, which of them do RPC, and who takes the place of a kernel that crashed.
 * <p>
 * Thread rule: any thread but the NIC's; one lock for who comes and goes. {@link #start}, {@link #stop} and {@link #join} by the host.
 */
final class Cores {
    private static final int NONE = NicDispatch.NONE;

    /** Makes the kernel of a core. */
    @FunctionalInterface
    interface Maker {
        /** @param told takes what the NIC tells it */
        CoreKernel kernel(int core, LongConsumer told);
    }

    private final CoreKernel[] kernels;
    private final Thread[] threads;
    private final LauberhornNic nic;
    private final NicThread nicThread;
    private final Maker maker;
    private final LauberhornOptions options;
    private final boolean[] byHand;
    private final @Nullable CoreBalancer balancer;

    /**
     * Kernels that do not run yet.
     *
     * @param kernels filled here; the NIC's interrupts go to them
     * @param options which cores stay, and where they run
     */
    Cores(CoreKernel[] kernels, LauberhornNic nic, NicThread nicThread, Maker maker, LauberhornOptions options) {
        this.kernels = kernels;
        this.nic = nic;
        this.nicThread = nicThread;
        this.maker = maker;
        this.options = options;
        threads = new Thread[kernels.length];
        byHand = new boolean[kernels.length];
        for (int core = 0; core < kernels.length; core++) {
            kernels[core] = maker.kernel(core, this::told);
            threads[core] = thread(core);
        }
        CoreRange range = options.cores();
        balancer = range == null ? null : new CoreBalancer(this, range, nic::demand);
    }

    void start() {
        for (Thread thread : threads) {
            thread.start();
        }
        if (balancer != null) {
            balancer.start();
        }
    }

    private Thread thread(int core) {
        return OwnThread.of("core-" + core, options.onCores(kernels[core]));
    }

    private void told(long demand) {
        CoreBalancer known = balancer;
        if (known != null) {
            known.told(demand);
        }
    }

    // ---- who does RPC --------------------------------------------------------------------------------------------

    /** The core leaves RPC work as soon as what runs there ends or yields, until {@link #admit}. */
    synchronized void retire(int core) {
        byHand[core] = true;
        kernels[core].stayAway();
        nicThread.call(() -> nic.dispatch().retire(core, true));
    }

    /** A retired core does RPC again. */
    synchronized void admit(int core) {
        byHand[core] = false;
        bring(core);
    }

    private void bring(int core) {
        nicThread.call(() -> {
            if (nic.dispatch().next(core) == NicDispatch.RETIRING) {
                nic.dispatch().withdraw(core);
            }
            nic.dispatch().admit(core);
            return true;
        });
        kernels[core].admit();
    }

    /** Brings back a core that was taken; false if there is none. */
    synchronized boolean give() {
        int core = nicThread.call(() -> gone(nic.dispatch()));
        if (core == NONE) {
            return false;
        }
        bring(core);
        return true;
    }

    private int gone(NicDispatch dispatch) {
        for (int core = 0; core < kernels.length; core++) {
            if (!doesRpc(dispatch, core) && !byHand[core]) {
                return core;
            }
        }
        return NONE;
    }

    /** Takes a core that idles at this moment; false if none does, or if no more than so many do RPC. */
    synchronized boolean take(int least) {
        return nicThread.call(() -> {
            int core = idle(nic.dispatch(), least);
            if (core == NONE) {
                return false;
            }
            kernels[core].stayAway(); // before the NIC's word can come
            return nic.dispatch().retire(core, false);
        });
    }

    /** The last core that the kernel has, else the last on which a thread waits: what a policy uses is not taken. */
    private static int idle(NicDispatch dispatch, int least) {
        int doing = 0;
        int free = NONE;
        int idle = NONE;
        for (int core = 0; core < dispatch.cores(); core++) {
            doing += doesRpc(dispatch, core) ? 1 : 0;
            free = dispatch.isFree(core) ? core : free;
            idle = dispatch.isIdle(core) ? core : idle;
        }
        return doing <= least ? NONE : free == NONE ? idle : free;
    }

    private static boolean doesRpc(NicDispatch dispatch, int core) {
        return !dispatch.isRetired(core) && dispatch.next(core) != NicDispatch.RETIRING;
    }

    /**
     * The kernel's thread of a core crashes where it stands, and another takes its place.
     *
     * @param threadOn the thread that has a core, or {@link NicDispatch#NONE}
     */
    synchronized void crash(int core, IntUnaryOperator threadOn, long patienceMillis) {
        CoreKernel old = kernels[core];
        old.crash();
        try {
            threads[core].join(patienceMillis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        nicThread.call(() -> {
            nic.resetKernel(core);
            return true;
        });
        kernels[core] = maker.kernel(core, this::told).adopting(threadOn.applyAsInt(core));
        threads[core] = thread(core);
        threads[core].start();
    }

    // ---- what they do --------------------------------------------------------------------------------------------

    Sleeper sleeper(int core) {
        return kernels[core].sleeper();
    }

    /** Each looks around. */
    void wake() {
        for (CoreKernel kernel : kernels) {
            kernel.sleeper().wake();
        }
    }

    int count() {
        return kernels.length;
    }

    CoreKernel.State state(int core) {
        return kernels[core].state();
    }

    List<String> states() {
        return Arrays.stream(kernels).map(kernel -> kernel.state().name().toLowerCase(Locale.ROOT)).toList();
    }

    /** Cores that have not left RPC work. */
    int doing() {
        int doing = 0;
        for (CoreKernel kernel : kernels) {
            doing += kernel.state() == CoreKernel.State.RETIRED ? 0 : 1;
        }
        return doing;
    }

    CoreUse use() {
        return balancer == null ? new CoreUse(doing(), count(), Double.NaN, 0, 0) : balancer.use();
    }

    /** Times that a core was given to a thread. */
    long switches() {
        return Arrays.stream(kernels).mapToLong(CoreKernel::switches).sum();
    }

    // ---- the end -------------------------------------------------------------------------------------------------

    void stop() {
        if (balancer != null) {
            balancer.stop();
        }
        for (CoreKernel kernel : kernels) {
            kernel.stop();
        }
    }

    /** After {@link #stop}; the NIC still answers. */
    void join() throws InterruptedException {
        if (balancer != null) {
            balancer.join();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
