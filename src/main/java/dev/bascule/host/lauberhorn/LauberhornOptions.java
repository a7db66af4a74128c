package dev.bascule.host.lauberhorn;

import dev.bascule.ffi.Affinity;
import dev.bascule.lauberhorn.CoreScheduler;
import dev.bascule.model.lauberhorn.LauberhornNic;
import dev.bascule.ring.IdleStrategy;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
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
 * @param cpus CPUs of this machine that threads of this JVM are bound to: the first is the NIC's, all others are the cores';
 *     empty: Linux places them
 */
public record LauberhornOptions(Supplier<IdleStrategy> idle, long criticalNanos, long patienceNanos,
        Function<LauberhornNic, CoreScheduler> scheduler, @Nullable Path directory, @Nullable CoreRange cores,
        List<Integer> cpus) {
    private static final int SPINS = 200;
    private static final long REST_NANOS = 20_000;
    private static final long SECOND = 1_000_000_000;
    private static final long QUANTUM_NANOS = 1_000_000;

    /** Cores are shared with others: who waits yields. The NIC's own policy, with a quantum of 1 ms. */
    public static final LauberhornOptions DEFAULT = new LauberhornOptions(() -> IdleStrategy.spinThenYield(SPINS),
            SECOND, 10 * SECOND, nic -> nic.queueScheduler(QUANTUM_NANOS), null, null);

    /** Checks the CPUs; {@link IllegalArgumentException} says what is wrong with them. */
    public LauberhornOptions {
        cpus = List.copyOf(cpus);
        if (cpus.size() == 1 || cpus.stream().anyMatch(cpu -> cpu < 0)) {
            throw new IllegalArgumentException(
                    "CPUs " + cpus + ": say the NIC's first, then at least one for the cores");
        }
    }

    /** Threads that Linux places. */
    public LauberhornOptions(Supplier<IdleStrategy> idle, long criticalNanos, long patienceNanos,
            Function<LauberhornNic, CoreScheduler> scheduler, @Nullable Path directory, @Nullable CoreRange cores) {
        this(idle, criticalNanos, patienceNanos, scheduler, directory, cores, List.of());
    }

    /** This for a machine whose cores have other things to do: who waits for long sleeps between looks. */
    public LauberhornOptions resting() {
        return withIdle(() -> IdleStrategy.spinThenPark(SPINS, REST_NANOS));
    }

    /** This with another way to wait. */
    public LauberhornOptions withIdle(Supplier<IdleStrategy> newIdle) {
        return new LauberhornOptions(newIdle, criticalNanos, patienceNanos, scheduler, directory, cores, cpus);
    }

    /** This with another bound for threads that do not let go. */
    public LauberhornOptions withCriticalNanos(long nanos) {
        return new LauberhornOptions(idle, nanos, patienceNanos, scheduler, directory, cores, cpus);
    }

    /** This with another policy in the NIC. */
    public LauberhornOptions withScheduler(Function<LauberhornNic, CoreScheduler> newScheduler) {
        return new LauberhornOptions(idle, criticalNanos, patienceNanos, newScheduler, directory, cores, cpus);
    }

    /** This with memory in files of a directory. */
    public LauberhornOptions withDirectory(Path newDirectory) {
        return new LauberhornOptions(idle, criticalNanos, patienceNanos, scheduler, newDirectory, cores, cpus);
    }

    /** This with cores that come and go by load. */
    public LauberhornOptions withCores(CoreRange range) {
        return new LauberhornOptions(idle, criticalNanos, patienceNanos, scheduler, directory, range, cpus);
    }

    /**
     * This with the NIC's thread on the first CPU, and kernels and threads that serve on the others. Processes of the
     * operating system are bound by who starts them.
     *
     * @throws IllegalArgumentException if there are not at least two, or a negative one
     */
    public LauberhornOptions withCpus(List<Integer> newCpus) {
        return new LauberhornOptions(idle, criticalNanos, patienceNanos, scheduler, directory, cores, newCpus);
    }

    /** Work on the NIC's CPU. */
    Runnable onNic(Runnable work) {
        return on(cpus.subList(0, Math.min(1, cpus.size())), work);
    }

    /** Work on the CPUs of the cores. */
    Runnable onCores(Runnable work) {
        return on(cpus.subList(Math.min(1, cpus.size()), cpus.size()), work);
    }

    private static Runnable on(List<Integer> cpus, Runnable work) {
        return cpus.isEmpty() ? work : () -> {
            Affinity.set(bits(cpus));
            work.run();
        };
    }

    /** Checks that the calling thread may use the CPUs; {@link IllegalArgumentException} says which it may not. */
    void checkCpus() {
        BitSet missing = bits(cpus);
        missing.andNot(Affinity.current());
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException("CPUs " + missing + " are not among those that this thread may use, "
                    + Affinity.current() + "; see taskset -p $$ and the container's cpuset");
        }
    }

    private static BitSet bits(List<Integer> cpus) {
        BitSet bits = new BitSet();
        cpus.forEach(bits::set);
        return bits;
    }
}
