package dev.bascule.host;

import dev.bascule.ffi.Affinity;
import dev.bascule.ring.IdleStrategy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * Takes an agent from core to core, as ghOSt's global agent goes to another CPU when something else wants its own
 * (PickNextGlobalCPU): about every 10 ms it looks whether the kernel has given the core to others, and if so the agent goes
 * on, between two rounds, on the next of its cores. An agent whose cores are all wanted goes round at most ten times a
 * second.
 * <p>
 * Thread rule: made and used by the agent's thread, which it pins to its first core.
 */
public final class CoreHandOff implements IdleStrategy, AutoCloseable {
    private static final int ROUNDS_PER_LOOK = 256;
    private static final long LOOK_NANOS = 10_000_000;
    private static final long REST_NANOS = 100_000_000;
    /** Times that the kernel took the core away between two looks; less is its own housekeeping. */
    private static final long WANTED = 3;
    private static final byte[] SWITCHES = "nonvoluntary_ctxt_switches:".getBytes(StandardCharsets.US_ASCII);

    private final IdleStrategy idle;
    private final List<Integer> cores;
    private final Consumer<String> said;
    private final FileChannel account;
    private final ByteBuffer bytes = ByteBuffer.allocateDirect(8192);
    private int at;
    private int rounds;
    private long nextLookNanos;
    private long switches;

    /**
     * Pins this thread to the first of the cores.
     *
     * @param idle what to do after a round
     * @param cores two or more, in the order in which they are used
     * @param said is told of each hand-off, in words
     */
    public CoreHandOff(IdleStrategy idle, List<Integer> cores, Consumer<String> said) {
        if (cores.size() < 2) {
            throw new IllegalArgumentException("hand an agent from core to core: " + cores.size()
                    + " core; name two or more");
        }
        this.idle = idle;
        this.cores = List.copyOf(cores);
        this.said = said;
        Affinity.pin(cores.getFirst());
        try {
            account = FileChannel.open(Path.of("/proc/thread-self/status"));
        } catch (IOException e) {
            throw new UncheckedIOException("read how often the agent's thread lost its core: " + e.getMessage(), e);
        }
        switches = switches();
    }

    /** The core it is on. */
    public int core() {
        return cores.get(at);
    }

    @Override
    public void idle(int workCount) {
        idle.idle(workCount);
        if (++rounds >= ROUNDS_PER_LOOK) {
            rounds = 0;
            look(System.nanoTime());
        }
    }

    private void look(long now) {
        if (now < nextLookNanos) {
            return;
        }
        long lost = switches() - switches;
        switches += lost;
        nextLookNanos = now + LOOK_NANOS;
        if (lost >= WANTED) {
            handOff(lost);
        }
    }

    private void handOff(long lost) {
        int from = core();
        at = (at + 1) % cores.size();
        long began = System.nanoTime();
        Affinity.pin(core());
        long now = System.nanoTime();
        nextLookNanos = now + REST_NANOS;
        switches = switches();
        said.accept("handed off from core " + from + " to core " + core() + " within " + (now - began) / 1000
                + " us: others had core " + from + " " + lost + " times in " + LOOK_NANOS / 1_000_000 + " ms");
    }

    /** How often the kernel took this thread's core away so far. */
    private long switches() {
        try {
            bytes.clear();
            int length = account.read(bytes, 0);
            for (int from = 0; from < length - SWITCHES.length; from++) {
                if (isHere(from)) {
                    return number(from + SWITCHES.length, length);
                }
            }
            return 0;
        } catch (IOException e) {
            throw new UncheckedIOException("read how often the agent's thread lost its core: " + e.getMessage(), e);
        }
    }

    private boolean isHere(int from) {
        for (int i = 0; i < SWITCHES.length; i++) {
            if (bytes.get(from + i) != SWITCHES[i] || i == 0 && from > 0 && bytes.get(from - 1) != '\n') {
                return false;
            }
        }
        return true;
    }

    private long number(int from, int length) {
        long number = 0;
        for (int i = from; i < length && bytes.get(i) != '\n'; i++) {
            int digit = bytes.get(i) - '0';
            number = digit >= 0 && digit <= 9 ? 10 * number + digit : number;
        }
        return number;
    }

    @Override
    public void close() {
        try {
            account.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
