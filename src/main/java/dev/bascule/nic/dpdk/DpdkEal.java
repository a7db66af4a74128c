package dev.bascule.nic.dpdk;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.DpdkLibrary;
import dev.bascule.nic.NicAdapter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * DPDK's environment of this process: started once, on a thread of its own, since DPDK binds the thread that starts it to
 * a core. A process that has stopped it cannot start it again.
 * <p>
 * Thread rule: control path, thread-safe. Errors: {@link DeviceException} saying what is missing and how to get it.
 */
public final class DpdkEal implements AutoCloseable {
    private static final String INSTALL = "install DPDK 22.11 or newer (Debian: sudo apt-get install libdpdk-dev), or "
            + "name its folder with -Dbascule.dpdk.libraries=DIR";
    private static @Nullable DpdkEal running;
    private static boolean used;

    private final DpdkLibrary library;
    private final DpdkLayout layout;
    private final List<DpdkNic> ports = new ArrayList<>();
    private boolean closed;

    private DpdkEal(DpdkLibrary library, DpdkLayout layout) {
        this.library = library;
        this.layout = layout;
    }

    /** Why DPDK cannot be used here, and what helps; empty when it can be. */
    public static Optional<String> missing() {
        return usable().isPresent()
                ? Optional.empty()
                : Optional.of("DPDK's shared libraries" + DpdkLibrary.found().findFirst()
                        .map(library -> ": " + difference(library)).orElse(" were not found") + "; " + INSTALL);
    }

    /** Release of DPDK that would be started here, else of the newest that cannot be; empty where there is none. */
    public static Optional<String> release() {
        return usable().map(Usable::library).or(() -> DpdkLibrary.found().findFirst()).map(DpdkLibrary::release);
    }

    /** The newest libraries whose structures are laid out in a way that is known. */
    private static Optional<Usable> usable() {
        return DpdkLibrary.found().flatMap(library -> DpdkLayout.of(library).stream()
                .map(layout -> new Usable(library, layout))).findFirst();
    }

    private record Usable(DpdkLibrary library, DpdkLayout layout) {}

    private static String difference(DpdkLibrary library) {
        return "they are of DPDK " + library.release() + ", whose structures this framework does not know: "
                + DpdkLayout.SINCE_23_11.objection(library).orElse("");
    }

    /**
     * Starts DPDK.
     *
     * @param arguments as on a DPDK program's command line, without the program's name, for example
     *     {@code --no-huge -m 128 --no-pci --vdev=net_ring0}
     */
    public static synchronized DpdkEal start(List<String> arguments) {
        Usable usable = usable().orElseThrow(() -> new DeviceException("start DPDK", "its libraries",
                DpdkLibrary.found().findFirst().map(DpdkEal::difference).orElse("not found"), INSTALL));
        if (isSecondary(arguments)) {
            throw new DeviceException("start DPDK", String.join(" ", arguments),
                    "a secondary process shares the memory of a "
                            + "primary one, at its addresses and with its queues, which this framework does not do",
                    "leave --proc-type away; give processes ports of their own (-a ADDRESS) and --file-prefix NAME");
        }
        if (running != null || used) {
            throw new DeviceException("start DPDK", String.join(" ", arguments), "it was started in this process "
                    + "before, and DPDK can be started once per process", "use the one that runs, or another process");
        }
        used = true;
        int result = initialise(usable.library, arguments);
        if (result < 0) {
            throw new DeviceException("start DPDK", String.join(" ", arguments),
                    "rte_eal_init failed; its own messages "
                            + "on standard error say why",
                    "without hugepages add --no-huge -m 128; without PCI devices --no-pci");
        }
        DpdkEal eal = new DpdkEal(usable.library, usable.layout);
        running = eal;
        return eal;
    }

    private static boolean isSecondary(List<String> arguments) {
        for (int i = 0; i < arguments.size(); i++) {
            String word = arguments.get(i);
            String value = word.startsWith("--proc-type=")
                    ? word.substring("--proc-type=".length())
                    : word.equals("--proc-type") && i + 1 < arguments.size() ? arguments.get(i + 1) : "primary";
            if (!value.equals("primary")) {
                return true;
            }
        }
        return false;
    }

    private static int initialise(DpdkLibrary library, List<String> arguments) {
        int[] result = { -1 };
        Thread thread = Thread.ofPlatform().name("dpdk-start").start(() -> {
            Arena arena = Arena.global(); // DPDK keeps pointers into its arguments
            MemorySegment argv = arena.allocate(ValueLayout.ADDRESS, arguments.size() + 2);
            argv.setAtIndex(ValueLayout.ADDRESS, 0, arena.allocateFrom("bascule"));
            for (int i = 0; i < arguments.size(); i++) {
                argv.setAtIndex(ValueLayout.ADDRESS, i + 1, arena.allocateFrom(arguments.get(i)));
            }
            result[0] = (int) library.call("rte_eal_init", DpdkLibrary.word(arguments.size() + 1L), argv);
        });
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return result[0];
    }

    /** DPDK's name and version. */
    public String version() {
        MemorySegment text = DpdkLibrary.at(library.call("rte_version"), 64);
        return text.getString(0);
    }

    /** Names of the ports DPDK found, by number; ports that failed are left out. */
    public List<String> ports() {
        List<String> names = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocate(64);
            int port = next(0);
            while (port < DpdkLayout.MOST_PORTS) {
                if ((int) library.call("rte_eth_dev_get_name_by_port", DpdkLibrary.word(port), name) == 0) {
                    names.add(name.getString(0));
                }
                port = next(port + 1);
            }
        }
        return names;
    }

    private int next(int from) {
        return (int) library.call("rte_eth_find_next", DpdkLibrary.word(from)) & 0xFFFF;
    }

    /** Opens a port by name. The queues may be used by one thread each; see {@link #registerThread()}. */
    public synchronized DpdkNic open(String port, DpdkOptions options) {
        requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment number = arena.allocate(ValueLayout.JAVA_SHORT);
            if ((int) library.call("rte_eth_dev_get_port_by_name", arena.allocateFrom(port), number) != 0) {
                throw new DeviceException("open DPDK port", port, "there is none of that name",
                        "DPDK has " + ports() + "; look at its messages for a port that failed");
            }
            DpdkNic nic = new DpdkNic(this, port, number.get(ValueLayout.JAVA_SHORT, 0) & 0xFFFF, options);
            ports.add(nic);
            return nic;
        }
    }

    /**
     * These ports as one card, which closes DPDK with it.
     *
     * @param names of its ports, by number
     */
    public NicAdapter card(List<String> names) {
        return new DpdkCard(this, names);
    }

    /** Registers the calling thread with DPDK, so that its packet pools serve it from a cache. Harmless twice. */
    public void registerThread() {
        library.call("rte_thread_register");
    }

    DpdkLibrary library() {
        return library;
    }

    DpdkLayout layout() {
        return layout;
    }

    synchronized void gone(DpdkNic port) {
        ports.remove(port);
    }

    /** Closes all ports and stops DPDK for good. Twice is harmless. */
    @Override
    public void close() {
        synchronized (DpdkEal.class) {
            if (closed) {
                return;
            }
            for (DpdkNic port : List.copyOf(ports)) {
                port.close();
            }
            closed = true;
            running = null;
            library.call("rte_eal_cleanup");
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("DPDK was stopped");
        }
    }
}
