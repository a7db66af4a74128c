package dev.bascule.host.tier;

import dev.bascule.ffi.Errno;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.HeldProcess;
import dev.bascule.ffi.KernelText;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.ffi.ProcessMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One process as long as it runs one program: its page table, its mappings, and the way to its pages. One thread. */
final class TieredProcess implements AutoCloseable {
    /** Pages of a batch. */
    static final int PAGES = 64;
    static final long PAGE_BYTES = Libc.pageSizeBytes();
    static final long SPAN = PAGES * PAGE_BYTES;
    static final long PRESENT = 1L << 63;
    static final long SWAPPED = 1L << 62;
    static final long SOFT_DIRTY = 1L << 55;
    static final long FRAME = (1L << 55) - 1;
    private static final Path LOCKS = Path.of("/proc/locks");
    private static final int LOCKED = 5;
    private static final int START_TIME = 22;
    private static final int START_CODE = 26;
    private static final int START_STACK = 28;
    private static final int MAJOR_FAULTS = 12;

    final int pid;
    final ProcessMemory memory;
    /** Batch by its first byte. */
    final NavigableMap<Long, Integer> batches = new TreeMap<>();
    List<Mapping> mappings = List.of();
    private final HeldProcess held;
    private final String program;
    private final Fd pagemap;
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment entries = arena.allocate(8L * PAGES, 8);
    /** Text of its maps, as last read. */
    private String maps = "";
    private long residentPages;
    private long majorFaults;

    private TieredProcess(HeldProcess held, String program, Fd pagemap) {
        this.pid = held.pid();
        this.held = held;
        this.program = program;
        this.pagemap = pagemap;
        this.memory = new ProcessMemory(held);
    }

    /** Null if it has ended meanwhile. A process that may not be looked at is a {@link NativeException}. */
    static @Nullable TieredProcess open(int pid) {
        HeldProcess held = HeldProcess.open(pid);
        Fd pagemap = null;
        String program = held == null ? "" : program(stat(held));
        try {
            if (held != null && !program.isEmpty()) {
                pagemap = pagemap(held);
                own(held, pagemap);
                return new TieredProcess(held, program, pagemap);
            }
        } catch (RuntimeException e) {
            // who ends loses its memory before its pidfd tells, and with it the file that was its user's: EACCES
            boolean hasEnded = held == null || !held.isAlive() || !program.equals(program(stat(held)))
                    || e instanceof NativeException call && call.errno() == Errno.ESRCH;
            close(held, pagemap);
            if (hasEnded) {
                return null;
            }
            throw e;
        }
        close(held, pagemap);
        return null;
    }

    private static Fd pagemap(HeldProcess held) {
        try {
            return Libc.open(held.file("pagemap").toString(), Linux.O_RDONLY);
        } catch (NativeException e) {
            throw new NativeException(e.step(), "/proc/" + held.pid() + "/pagemap", e.errno(),
                    "The process belongs to another user or hides its memory; run as root: sudo scripts/bascule tier ...");
        }
    }

    /** Two that clear and read the same access bits would blind each other. The lock ends with the process, and with its owner. */
    private static void own(HeldProcess held, Fd pagemap) {
        if (!pagemap.tryLock()) {
            throw new NativeException("manage", "process " + held.pid(), Errno.EBUSY,
                    owner(held) + " manages its memory already, and both would blind each other; end that one first");
        }
    }

    /** By {@code /proc/locks}: {@code 1: FLOCK ADVISORY WRITE 4711 00:15:2264497 0 EOF}. */
    private static String owner(HeldProcess held) {
        try {
            String inode = ":" + Files.getAttribute(held.file("pagemap"), "unix:ino");
            for (String line : KernelText.lines(LOCKS)) {
                String[] words = line.split(" +");
                if (words.length > LOCKED && words[1].equals("FLOCK") && words[LOCKED].endsWith(inode)) {
                    return "process " + words[LOCKED - 1];
                }
            }
            return "another process";
        } catch (IOException e) {
            return "another process";
        }
    }

    /**
     * Program that the process runs: an exec changes it, and another process of the same number has another. Empty: it
     * has ended, or has no memory any more (its code begins at 0; where that may not be seen, at 1).
     */
    private static String program(String[] fields) {
        return fields.length < START_STACK || fields[0].equals("Z") || fields[0].equals("X")
                || fields[START_CODE - 3].equals("0")
                        ? ""
                        : fields[START_TIME - 3] + " " + fields[START_CODE - 3] + " " + fields[START_STACK - 3];
    }

    /** Fields of its stat file from the third on; none when it has ended. */
    private static String[] stat(HeldProcess held) {
        try {
            return KernelText.statFields(KernelText.read(held.file("stat")));
        } catch (IOException e) {
            return new String[0];
        }
    }

    /** Whether it still runs the program it was opened with. */
    boolean isSame() {
        String[] fields = stat(held);
        majorFaults = fields.length < START_STACK ? majorFaults : Long.parseLong(fields[MAJOR_FAULTS - 3]);
        return program.equals(program(fields));
    }

    /** Reads its mappings anew. Whether they differ from those before. */
    boolean look() {
        List<Mapping> now;
        try {
            String text = KernelText.read(held.file("maps"));
            now = text.equals(maps) ? mappings : Mapping.parse(KernelText.lines(text));
            maps = text;
            residentPages = Long.parseLong(KernelText.read(held.file("statm")).split(" ")[1]);
        } catch (IOException e) {
            now = List.of(); // it is ending
            maps = "";
            residentPages = 0;
        }
        boolean isNew = now != mappings && !now.equals(mappings);
        mappings = now;
        return isNew;
    }

    /**
     * Page-table entries of a range; {@code /proc/PID/pagemap}. What is mapped no more reads as zero.
     *
     * @param pages 1 to {@link #PAGES}
     */
    void entries(long address, int pages, long[] into) {
        long bytes;
        try {
            bytes = pagemap.pread(entries.asSlice(0, 8L * pages), address / PAGE_BYTES * 8);
        } catch (NativeException e) {
            bytes = 0; // the process is ending
        }
        for (int i = 0; i < pages; i++) {
            into[i] = i < bytes / 8 ? entries.getAtIndex(ValueLayout.JAVA_LONG, i) : 0;
        }
    }

    /** A file of its folder in {@code /proc}. */
    Path file(String name) {
        return held.file(name);
    }

    long residentBytes() {
        return residentPages * PAGE_BYTES;
    }

    /** Faults that had to read from a disk or from swap, so far. */
    long majorFaults() {
        return majorFaults;
    }

    private static void close(@Nullable HeldProcess held, @Nullable Fd pagemap) {
        if (pagemap != null) {
            pagemap.close();
        }
        if (held != null) {
            held.close();
        }
    }

    @Override
    public void close() {
        memory.close();
        close(held, pagemap);
        arena.close();
    }
}
