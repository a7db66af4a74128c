package dev.bascule.agent;

/**
 * Cores and sockets: the CPUs that share each. CPUs are numbered as in a virtual machine of regular shape (QEMU's
 * {@code -smp}, Linux's {@code physical_package_id} and {@code thread_siblings_list} there): siblings of a core stand
 * next to each other, and so do the cores of a socket. With 2 sockets and 2 siblings, CPUs 0 and 1 of 8 are a core, and
 * 0 to 3 a socket.
 *
 * @param cpus CPUs, 1 to 4,096
 * @param siblings CPUs of a core, 1 to 8; with one socket, the last core may have fewer
 * @param sockets sockets, 1 to 64, all of the same size
 */
public record Topology(int cpus, int siblings, int sockets) {
    /** Checks the ranges, and that every socket has the same number of whole cores. */
    public Topology {
        if (cpus < 1 || cpus > EnclaveShape.MAX_CPUS || siblings < 1 || siblings > 8 || sockets < 1 || sockets > 64) {
            throw new IllegalArgumentException("topology: " + cpus + " CPUs, " + siblings + " siblings, " + sockets
                    + " sockets; 1 to 4,096, 1 to 8 and 1 to 64");
        }
        if (sockets > 1 && cpus % (sockets * siblings) != 0) {
            throw new IllegalArgumentException("topology: " + cpus + " CPUs do not make " + sockets
                    + " sockets of the same number of cores with " + siblings + " siblings; take a multiple of "
                    + sockets * siblings + " CPUs");
        }
    }

    /** One socket, and no two CPUs share a core. */
    public static Topology flat(int cpus) {
        return new Topology(cpus, 1, 1);
    }

    /** Whether there is one socket and no two CPUs share a core. */
    public boolean isFlat() {
        return siblings == 1 && sockets == 1;
    }

    /** Cores, counted through all sockets. */
    public int cores() {
        return (cpus + siblings - 1) / siblings;
    }

    /** The core that the CPU is part of, from 0 on through all sockets. */
    public int coreOf(int cpu) {
        return cpu / siblings;
    }

    /** The socket that the CPU is on, from 0 on. */
    public int socketOf(int cpu) {
        return sockets == 1 ? 0 : cpu / (cpus / sockets);
    }
}
