package dev.bascule.ffi;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The shared libraries of DPDK: functions by name, and bursts through the addresses that DPDK keeps per port. Looked for
 * in the folder {@code -Dbascule.dpdk.libraries=DIR}, else where the loader looks. Control path any thread; bursts from
 * the thread that owns the queue.
 */
public final class DpdkLibrary {
    private static final String PROPERTY = "bascule.dpdk.libraries";
    private static final List<String> PARTS = List.of("eal", "ring", "mempool", "mbuf", "ethdev");
    /** Version numbers that are looked for, each the year after its release: 23 is DPDK 22.11. */
    private static final int OLDEST = 23;
    private static final int NEWEST = 99;
    private static final String PREFIX = "DPDK ";
    private static final int VERSION_BYTES = 64;
    private static final int HEX = 16;
    private static final Path MAPPINGS = Path.of("/proc/self/maps");
    private static final FunctionDescriptor BURST = FunctionDescriptor.of(JAVA_SHORT, JAVA_LONG, JAVA_LONG, JAVA_SHORT);

    /** A constant, so that compiled code has its bounds as numbers. */
    private static final MemorySegment EVERYTHING = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    private final int version;
    private final List<SymbolLookup> parts;
    private final ConcurrentHashMap<String, MemorySegment> found = new ConcurrentHashMap<>();

    private DpdkLibrary(int version, List<SymbolLookup> parts) {
        this.version = version;
        this.parts = parts;
    }

    /** The libraries of this machine, the newest first, each loaded when the stream comes to it. They stay loaded. */
    public static Stream<DpdkLibrary> found() {
        return IntStream.rangeClosed(OLDEST, NEWEST).map(number -> OLDEST + NEWEST - number)
                .mapToObj(DpdkLibrary::load).flatMap(Optional::stream);
    }

    private static Optional<DpdkLibrary> load(int version) {
        List<SymbolLookup> parts = new ArrayList<>();
        String folder = System.getProperty(PROPERTY, "");
        for (String part : PARTS) {
            String file = "librte_" + part + ".so." + version;
            try {
                parts.add(folder.isEmpty()
                        ? SymbolLookup.libraryLookup(file, Arena.global())
                        : SymbolLookup.libraryLookup(Path.of(folder, file), Arena.global()));
            } catch (IllegalArgumentException e) {
                return Optional.empty();
            }
        }
        return Optional.of(new DpdkLibrary(version, parts));
    }

    /** Release as the libraries tell it, for example {@code 22.11.11}. */
    public String release() {
        String told = at(call("rte_version"), VERSION_BYTES).getString(0);
        return told.startsWith(PREFIX) ? told.substring(PREFIX.length()) : told;
    }

    /** Kind of the memory at an address of this process, as the kernel lists its mappings. */
    public enum Place {
        /** Not mapped, or not to be read. */
        NONE,
        /** To be read, and maybe written. */
        DATA,
        /** To be executed. */
        CODE
    }

    /** The memory at each address: one look at the mappings for all of them. */
    public static List<Place> places(long... addresses) {
        List<String> lines;
        try {
            lines = KernelText.lines(MAPPINGS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Arrays.stream(addresses).mapToObj(address -> lines.stream().map(line -> placeIn(line, address))
                .filter(place -> place != Place.NONE).findFirst().orElse(Place.NONE)).toList();
    }

    private static Place placeIn(String line, long address) {
        int dash = line.indexOf('-');
        int blank = line.indexOf(' ');
        boolean within = Long.compareUnsigned(address, Long.parseUnsignedLong(line, 0, dash, HEX)) >= 0
                && Long.compareUnsigned(address, Long.parseUnsignedLong(line, dash + 1, blank, HEX)) < 0;
        return !within
                ? Place.NONE
                : line.charAt(blank + 3) == 'x' ? Place.CODE : line.charAt(blank + 1) == 'r' ? Place.DATA : Place.NONE;
    }

    /** Address of a function or variable; {@link MissingPartException} names one that does not exist. */
    public MemorySegment address(String symbol) {
        return found.computeIfAbsent(symbol, name -> parts.stream().map(part -> part.find(name))
                .flatMap(Optional::stream).findFirst().orElseThrow(() -> new MissingPartException("DPDK "
                        + "libraries of version " + version + " have no " + name + "; install DPDK 22.11 or newer")));
    }

    /** A variable of the libraries as memory of {@code lengthBytes}. */
    public MemorySegment variable(String symbol, long lengthBytes) {
        return address(symbol).reinterpret(lengthBytes);
    }

    /**
     * Calls a function of up to six integer or pointer arguments; a result of 32 bits is in the low half.
     *
     * @param arguments segments, or {@link #word numbers}
     */
    public long call(String function, MemorySegment... arguments) {
        return NativeCall.words(address(function), arguments);
    }

    /** A number as an argument. */
    public static MemorySegment word(long value) {
        return NativeCall.word(value);
    }

    /** {@code lengthBytes} of memory of DPDK's at an address it gave. */
    public static MemorySegment at(long address, long lengthBytes) {
        return NativeCall.word(address).reinterpret(lengthBytes);
    }

    /**
     * All memory, for packets and their headers, which lie wherever DPDK put them: offsets are addresses. Whoever has it
     * can reach everything.
     */
    public static MemorySegment everything() {
        return EVERYTHING;
    }

    /**
     * Calls a port's burst function. OVERHEAD: an ordinary downcall 6.6 ns, a critical one 2.4 ns.
     *
     * @param critical whether the function never blocks: true for drivers that poll memory, false for those that make
     *     system calls
     * @param function its address
     * @param queue address of the queue's data
     * @param packets address of pointers to packets, which the caller keeps mapped
     * @return packets moved
     */
    public static int burst(boolean critical, long function, long queue, long packets, int count) {
        MemorySegment code = MemorySegment.ofAddress(function);
        try {
            short moved = critical
                    ? (short) Bursts.CRITICAL.invokeExact(code, queue, packets, (short) count)
                    : (short) Bursts.ORDINARY.invokeExact(code, queue, packets, (short) count);
            return moved & 0xFFFF;
        } catch (Throwable t) {
            throw NativeCall.unchecked(t);
        }
    }

    private static final class Bursts {
        static final MethodHandle CRITICAL = Linker.nativeLinker().downcallHandle(BURST, Linker.Option.critical(false));
        static final MethodHandle ORDINARY = Linker.nativeLinker().downcallHandle(BURST);
    }
}
