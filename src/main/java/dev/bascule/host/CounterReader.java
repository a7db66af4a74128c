package dev.bascule.host;

import dev.bascule.agent.AgentException;
import dev.bascule.ffi.NativeException;
import dev.bascule.memory.DirectWindow;
import dev.bascule.memory.SharedMemory;
import dev.bascule.memory.Window;
import java.nio.file.Path;

/**
 * A {@link CounterPage} as seen by another process. The values are taken one by one: each is whole and recent, but two
 * of them may be some nanoseconds apart. Not thread-safe.
 */
public final class CounterReader implements AutoCloseable {
    private static final long START_TOLERANCE_MILLIS = 2_000;

    private final SharedMemory memory;
    private final Window window;
    private final Path file;

    private CounterReader(SharedMemory memory, Path file) {
        this.memory = memory;
        this.file = file;
        window = new DirectWindow(memory.segment());
    }

    /**
     * Opens the page of a run directory.
     *
     * @throws AgentException if there is none, it is not whole yet, or it is none of this version
     */
    public static CounterReader open(Path directory) {
        Path file = directory.resolve(CounterPage.FILE);
        SharedMemory memory;
        try {
            memory = SharedMemory.openReadOnly(file, CounterPage.PAGE_BYTES);
        } catch (NativeException | IllegalArgumentException e) {
            throw new AgentException("open counter page: " + e.getMessage()
                    + "; name the run directory of a host with --attach", e);
        }
        CounterReader reader = new CounterReader(memory, file);
        try {
            reader.checkHeader();
            return reader;
        } catch (RuntimeException | Error e) {
            memory.close();
            throw e;
        }
    }

    private void checkHeader() {
        if (window.loadAcquire(0) != CounterPage.MAGIC) {
            throw new AgentException("open counter page " + file + ": this is no counter page, or its host is still"
                    + " starting; try again");
        }
        long layout = window.loadAcquire(CounterPage.AT_LAYOUT);
        long slots = layout >>> 32;
        if ((int) layout != CounterPage.VERSION || slots < 1
                || slots > (CounterPage.AT_DISTRIBUTIONS - CounterPage.AT_SLOTS) / 8) {
            throw new AgentException("open counter page " + file + ": layout version " + (int) layout + " with " + slots
                    + " counters, this program reads version " + CounterPage.VERSION
                    + "; use the bascule that runs the host");
        }
    }

    /** Whether the writer knows this counter; an older one may not. */
    public boolean has(Counter counter) {
        return counter.ordinal() < window.loadAcquire(CounterPage.AT_LAYOUT) >>> 32;
    }

    /** The counter now; 0 if the writer does not know it. */
    public long get(Counter counter) {
        return has(counter) ? window.loadAcquire(CounterPage.AT_SLOTS + 8L * counter.ordinal()) : 0;
    }

    /** How many times were up to {@link Distribution#bound} and above the one before; 0 if the writer counts none. */
    public long get(Distribution distribution, int bound) {
        return window.loadAcquire(CounterPage.at(distribution, bound));
    }

    /** Sum of a distribution's times, ns. */
    public long sumNanos(Distribution distribution) {
        return window.loadAcquire(CounterPage.at(distribution, -1));
    }

    /** Process id of the writer. */
    public long pid() {
        return window.loadAcquire(CounterPage.AT_PID);
    }

    /** When counting began, ms since 1970. */
    public long startMillis() {
        return window.loadAcquire(CounterPage.AT_START);
    }

    /** Name of what is counted, such as the transport. */
    public String name() {
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < CounterPage.NAME_BYTES; i++) {
            int c = (int) (window.loadAcquire(CounterPage.AT_NAME + (i & ~7)) >>> 8 * (i & 7)) & 0xff;
            if (c == 0) {
                break;
            }
            name.append(c >= ' ' && c < 0x7f ? (char) c : '?');
        }
        return name.toString();
    }

    /** Whether the writer still runs: a process with its id that started when it did. */
    public boolean isWriterAlive() {
        long started = window.loadAcquire(CounterPage.AT_PROCESS_START);
        return pid() > 0 && ProcessHandle.of(pid()).filter(ProcessHandle::isAlive).map(CounterPage::startMillis)
                .filter(now -> now == 0 || started == 0 || Math.abs(now - started) <= START_TOLERANCE_MILLIS)
                .isPresent();
    }

    /** The file that is read. */
    public Path file() {
        return file;
    }

    /** Unmaps the page. Idempotent. */
    @Override
    public void close() {
        memory.close();
    }
}
