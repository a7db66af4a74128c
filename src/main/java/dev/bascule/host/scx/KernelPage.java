package dev.bascule.host.scx;

import dev.bascule.agent.Outcome;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.RawWords;
import dev.bascule.memory.PinnedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * The words that the kernel's side, the host and an agent tell each other beside the region. Those of kernel and host
 * lie in memory that an agent of another process can only read: its store there is its end. Any thread.
 */
final class KernelPage {
    private final PinnedMemory memory;
    private final long address;
    private final PinnedMemory agents; // kept, as its memory is freed with it
    private final long agentsAddress;

    /**
     * The words at these places.
     *
     * @param memory of kernel and host
     * @param agents what agents write
     */
    KernelPage(PinnedMemory memory, PinnedMemory agents) {
        this.memory = memory;
        address = memory.address();
        this.agents = agents;
        agentsAddress = agents.address();
    }

    /** Maps the words of kernel and host, to the end of the process. */
    static PinnedMemory map(Fd words, int protection) {
        return PinnedMemory
                .permanent(Libc.map(Arena.global(), Layout.PAGE_BYTES, protection, Linux.MAP_SHARED, words, 0,
                        words.name()));
    }

    long get(long word) {
        return RawWords.loadAcquire(address + word);
    }

    void set(long word, long value) {
        RawWords.storeRelease(address + word, value);
    }

    /** Sets a word of {@code struct bsc_agents}. */
    void setAgents(long word, long value) {
        RawWords.storeRelease(agentsAddress + word, value);
    }

    /** Whether the kernel has taken the scheduler away. */
    boolean hasEnded() {
        return get(Layout.EXIT_KIND) != 0;
    }

    /** Why, in the kernel's words. */
    String exitText() {
        String reason = text(Layout.EXIT_REASON, Layout.REASON_BYTES);
        String message = text(Layout.EXIT_MESSAGE, Layout.MESSAGE_BYTES);
        return "exit kind " + get(Layout.EXIT_KIND) + " (" + reason + ")" + (message.isEmpty() ? "" : ": " + message);
    }

    private String text(long from, int bytes) {
        MemorySegment words = memory.segment().asSlice(from, bytes);
        byte[] all = words.toArray(ValueLayout.JAVA_BYTE);
        int length = 0;
        while (length < all.length && all[length] != 0) {
            length++;
        }
        return new String(all, 0, length, StandardCharsets.UTF_8);
    }

    KernelCounters counters() {
        long[] outcomes = new long[Outcome.values().length];
        for (int i = 0; i < outcomes.length; i++) {
            outcomes[i] = get(Layout.OUTCOMES + 8L * i);
        }
        long[] window = new long[Layout.WINDOW_COUNTS];
        for (int i = 0; i < window.length; i++) {
            window[i] = get(Layout.WINDOW + 8L * i);
        }
        return new KernelCounters(get(Layout.SWITCHES), get(Layout.PREEMPTIONS), get(Layout.LOCAL_DECISIONS),
                get(Layout.LATE), get(Layout.STARVED), get(Layout.LENT), get(Layout.OVERFLOWS),
                get(Layout.PRESTAGE_HITS),
                get(Layout.UNRULED),
                get(Layout.PARKED), get(Layout.RULED), get(Layout.NO_NUMBER),
                get(Layout.BUSY_NANOS), get(Layout.POSTED), get(Layout.RETRIES), get(Layout.RINGS),
                get(Layout.CALLS), get(Layout.KICKS), get(Layout.TURNED_AWAY), get(Layout.NUMBERS), outcomes, window);
    }
}
