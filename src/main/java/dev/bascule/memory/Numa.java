package dev.bascule.memory;

import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.NumaPolicy;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;

/** NUMA nodes of devices and CPUs, and memory on a node. Control path, any thread. */
public final class Numa {
    /** The node is not known: the device has none, or the machine does not say. */
    public static final int UNKNOWN = -1;

    private final Path sysfs;

    /**
     * Result of {@link #bind}.
     *
     * @param bound whether the memory is bound to the node
     * @param reason why not, or where it is
     */
    public record Placement(boolean bound, String reason) {}

    /** The machine's topology. */
    public Numa() {
        this(Path.of("/sys"));
    }

    /** The topology that another sysfs shows. */
    public Numa(Path sysfs) {
        this.sysfs = sysfs;
    }

    /** Restores where the calling thread's memory comes from, on that thread. */
    public static final class Near implements AutoCloseable {
        private final boolean preferred;

        private Near(boolean preferred) {
            this.preferred = preferred;
        }

        @Override
        public void close() {
            if (preferred) {
                NumaPolicy.prefer(UNKNOWN);
            }
        }
    }

    /**
     * Lets what the calling thread allocates come from {@code node}, as long as it has memory, until closed. Changes
     * nothing on a machine with one node, or for a node that is unknown.
     */
    public Near near(int node) {
        BitSet online = nodes();
        if (node < 0 || online.cardinality() < 2 || !online.get(node)) {
            return new Near(false);
        }
        try {
            NumaPolicy.prefer(node);
            return new Near(true);
        } catch (NativeException e) {
            return new Near(false); // refused by a container: memory is somewhere, as without
        }
    }

    /** CPUs of a node; none for a node that is unknown or not online. */
    public BitSet cpusOf(int node) {
        return node < 0 ? new BitSet() : list(sysfs.resolve("devices/system/node/node" + node + "/cpulist"));
    }

    /** Nodes that are online; node 0 alone if the kernel does not say. */
    public BitSet nodes() {
        BitSet nodes = list(sysfs.resolve("devices/system/node/online"));
        if (nodes.isEmpty()) {
            nodes.set(0);
        }
        return nodes;
    }

    /** Node of a PCI device such as {@code 0000:03:00.0}; {@link #UNKNOWN} if it has none. */
    public int nodeOfDevice(String pciAddress) {
        if (!pciAddress.matches("[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\\.[0-7]")) {
            throw new IllegalArgumentException("not a PCI address: " + pciAddress);
        }
        try {
            String text = Files.readString(sysfs.resolve("bus/pci/devices").resolve(pciAddress).resolve("numa_node"));
            return Math.max(UNKNOWN, Integer.parseInt(text.strip()));
        } catch (IOException | NumberFormatException e) {
            return UNKNOWN;
        }
    }

    /** Node of a CPU; {@link #UNKNOWN} if there is no such CPU. */
    public int nodeOfCpu(int cpu) {
        BitSet nodes = nodes();
        for (int node = nodes.nextSetBit(0); node >= 0; node = nodes.nextSetBit(node + 1)) {
            if (cpu >= 0 && list(sysfs.resolve("devices/system/node/node" + node + "/cpulist")).get(cpu)) {
                return node;
            }
        }
        return UNKNOWN;
    }

    /** Binds mapped memory (whole pages) to a node, if this machine has more than one. */
    public Placement bind(MemorySegment mapping, int node) {
        BitSet nodes = nodes();
        if (node == UNKNOWN) {
            return new Placement(false, "the device has no NUMA node");
        }
        if (node < 0 || !nodes.get(node)) {
            return new Placement(false, "node " + node + " is not among the nodes online " + nodes);
        }
        if (nodes.cardinality() == 1) {
            return new Placement(false, "the machine has one NUMA node");
        }
        try {
            NumaPolicy.bind(mapping, node);
            return new Placement(true, "on node " + node);
        } catch (NativeException e) {
            return new Placement(false, "refused: " + e.getMessage());
        }
    }

    /** A list of the kernel, such as {@code 0-3,8}. Unreadable or malformed is empty. */
    private static BitSet list(Path file) {
        BitSet set = new BitSet();
        try {
            for (String part : Files.readString(file).strip().split(",")) {
                String[] ends = part.split("-");
                int first = Integer.parseInt(ends[0]);
                set.set(first, Math.min(1 << 16, Integer.parseInt(ends[ends.length - 1])) + 1);
            }
            return set;
        } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
            return new BitSet();
        }
    }
}
