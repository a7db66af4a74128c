package dev.bascule.host;

import dev.bascule.ffi.Patience;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Several enclaves on one machine, as ghOSt has them: each is a {@link LiveHost} with its own agents, transport and policy
 * on CPUs that no other has. A CPU goes from one to another while both run: what runs there leaves it at its next yield
 * point, and only when nothing does may the other use it. A crash of an agent is its enclave's concern alone.
 *
 * <pre>{@code
 * try (Enclaves enclaves = new Enclaves(4)) {
 *     enclaves.add("web", webHost, 0, 1);     // both hosts have four CPUs and are not started yet
 *     enclaves.add("batch", batchHost, 2, 3);
 *     enclaves.start();
 *     ..
 *     enclaves.move(1, "batch", 1_000_000_000);
 * }
 * }</pre>
 *
 * Thread rule: {@link #add}, {@link #start} and {@link #close} from one thread, the rest from any; moves happen one after
 * the other.
 */
public final class Enclaves implements AutoCloseable {
    private static final long LOOK_NANOS = 20_000;

    private final int cpus;
    private final Map<String, LiveHost> hosts = new LinkedHashMap<>();
    /** By CPU; null: nobody's. */
    private final @Nullable String[] owners;

    /** @param cpus of the machine, for all enclaves */
    public Enclaves(int cpus) {
        this.cpus = cpus;
        owners = new String[cpus];
    }

    /**
     * Another enclave. Its host's other CPUs go offline.
     *
     * @param host one that has all CPUs of the machine, not started yet; closed with the others
     * @param own its CPUs
     * @throws IllegalArgumentException if the name is taken, the host has another number of CPUs, or a CPU is none, or
     *     another enclave's, or there is none at all
     */
    public synchronized void add(String name, LiveHost host, int... own) {
        if (hosts.containsKey(name)) {
            throw new IllegalArgumentException("enclave " + name + ": there is one of that name already");
        }
        if (host.cpus().count() != cpus) {
            throw new IllegalArgumentException("enclave " + name + ": its host has " + host.cpus().count()
                    + " CPUs, the machine has " + cpus
                    + "; give the host all of them, the enclave keeps it to its own");
        }
        BitSet mine = checked(name, own);
        for (int cpu = 0; cpu < cpus; cpu++) {
            if (!mine.get(cpu)) {
                host.cpus().change(cpu, HostCpus.Change.OFFLINE);
            }
        }
        hosts.put(name, host);
        mine.stream().forEach(cpu -> owners[cpu] = name);
    }

    private BitSet checked(String name, int[] own) {
        BitSet mine = new BitSet();
        for (int cpu : own) {
            if (owners[required(cpu)] != null) {
                throw new IllegalArgumentException(
                        "enclave " + name + ": CPU " + cpu + " is that of enclave " + owners[cpu]);
            }
            mine.set(cpu);
        }
        if (mine.isEmpty()) {
            throw new IllegalArgumentException("enclave " + name + ": has no CPU; name one or more");
        }
        return mine;
    }

    private int required(int cpu) {
        if (cpu < 0 || cpu >= cpus) {
            throw new IllegalArgumentException("there is no CPU " + cpu + "; CPUs are 0 to " + (cpus - 1));
        }
        return cpu;
    }

    /** Starts all hosts. */
    public void start() {
        hosts.values().forEach(LiveHost::start);
    }

    /** The names, in the order of adding. */
    public synchronized List<String> names() {
        return new ArrayList<>(hosts.keySet());
    }

    /**
     * The enclave's host.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    public synchronized LiveHost host(String name) {
        LiveHost host = hosts.get(name);
        if (host == null) {
            throw new IllegalArgumentException("there is no enclave " + name + "; there are " + hosts.keySet());
        }
        return host;
    }

    /** The enclave that has the CPU; null if none has. */
    public synchronized @Nullable String ownerOf(int cpu) {
        return owners[required(cpu)];
    }

    /** The CPUs that the enclave has now. */
    public synchronized Set<Integer> cpusOf(String name) {
        host(name);
        Set<Integer> own = new TreeSet<>();
        for (int cpu = 0; cpu < cpus; cpu++) {
            if (name.equals(owners[cpu])) {
                own.add(cpu);
            }
        }
        return own;
    }

    /**
     * Gives a CPU to an enclave, from the one that has it, if any. Tasks bound to it alone may use any of that one's from
     * then on, as when a CPU is unplugged.
     *
     * @param limitNanos how long what runs there may take to leave it
     * @return how long the CPU was nobody's, ns; 0 if it was that enclave's already
     * @throws IllegalStateException if it is the last one of its enclave, or the task that runs there does not reach a
     *     yield point in time: it stays where it is then
     */
    public synchronized long move(int cpu, String to, long limitNanos) {
        LiveHost target = host(to);
        String from = owners[required(cpu)];
        if (to.equals(from)) {
            return 0;
        }
        long began = System.nanoTime();
        if (from != null) {
            leave(cpu, from, to, new Patience(limitNanos));
        }
        target.cpus().change(cpu, HostCpus.Change.ONLINE);
        owners[cpu] = to;
        return System.nanoTime() - began;
    }

    private void leave(int cpu, String from, String to, Patience patience) {
        HostCpus before = host(from).cpus();
        if (cpusOf(from).size() == 1) {
            throw new IllegalStateException("move CPU " + cpu + " from enclave " + from + " to " + to
                    + ": it is the last one there; give " + from + " another one first");
        }
        before.change(cpu, HostCpus.Change.OFFLINE);
        while (!before.isIdle(cpu)) {
            if (patience.isOver()) {
                before.change(cpu, HostCpus.Change.ONLINE);
                throw new IllegalStateException("move CPU " + cpu + " from enclave " + from + " to " + to
                        + ": the task that runs there has not reached a yield point in time; it stays with " + from);
            }
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    /** Closes all hosts, the last one first. */
    @Override
    public void close() {
        List<LiveHost> all = new ArrayList<>(hosts.values());
        for (int i = all.size() - 1; i >= 0; i--) {
            all.get(i).close();
        }
    }
}
