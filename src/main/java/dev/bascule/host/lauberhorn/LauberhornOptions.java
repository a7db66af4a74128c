package dev.bascule.host.lauberhorn;

import dev.bascule.lauberhorn.CoreScheduler;
import dev.bascule.model.lauberhorn.LauberhornNic;
import dev.bascule.ring.IdleStrategy;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a host runs.
 *
 * @param idle what a core does between two looks at a line that the NIC holds back, and the NIC between two empty rounds
 * @param criticalNanos how long a thread may keep a core that is asked back, before its process is ended
 * @param patienceNanos how long a load may stay without any answer before the NIC counts as gone
 * @param scheduler makes the policy in the NIC; it runs on the NIC's thread
 * @param directory where the memory of processes lies, so that others can map it; null: they are threads of this one
 * @param cores which cores come and go by load; null: all stay, until {@link LauberhornHost#retire}
 */
public record LauberhornOptions(Supplier<IdleStrategy> idle, long criticalNanos, long patienceNanos,
        Function<LauberhornNic, CoreScheduler> scheduler, @Nullable Path directory, @Nullable CoreRange cores) {
    private static final int SPINS = 200;
    private static final long REST_NANOS = 20_000;
    private static final long SECOND = 1_000_000_000;
    private static final long QUANTUM_NANOS = 1_000_000;

    /** Cores are shared with others: who waits yields. The NIC's own policy, with a quantum of 1 ms. */
    public static final LauberhornOptions DEFAULT = new LauberhornOptions(() -> IdleStrategy.spinThenYield(SPINS),
            SECOND, 10 * SECOND, nic -> nic.queueScheduler(QUANTUM_NANOS), null, null);

    /** This for a machine whose cores have other things to do: who waits for long sleeps between looks. */
    public LauberhornOptions resting() {
        return withIdle(() -> IdleStrategy.spinThenPark(SPINS, REST_NANOS));
    }

    /** This with another way to wait. */
    public LauberhornOptions withIdle(Supplier<IdleStrategy> newIdle) {
        return new LauberhornOptions(newIdle, criticalNanos, patienceNanos, scheduler, directory, cores);
    }

    /** This with another bound for threads that do not let go. */
    public LauberhornOptions withCriticalNanos(long nanos) {
        return new LauberhornOptions(idle, nanos, patienceNanos, scheduler, directory, cores);
    }

    /** This with another policy in the NIC. */
    public LauberhornOptions withScheduler(Function<LauberhornNic, CoreScheduler> newScheduler) {
        return new LauberhornOptions(idle, criticalNanos, patienceNanos, newScheduler, directory, cores);
    }

    /** This with memory in files of a directory. */
    public LauberhornOptions withDirectory(Path newDirectory) {
        return new LauberhornOptions(idle, criticalNanos, patienceNanos, scheduler, newDirectory, cores);
    }

    /** This with cores that come and go by load. */
    public LauberhornOptions withCores(CoreRange range) {
        return new LauberhornOptions(idle, criticalNanos, patienceNanos, scheduler, directory, range);
    }
}
