package dev.bascule.model.lauberhorn;

import dev.bascule.lauberhorn.Refusal;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Locale;

/**
 * Counters of the NIC. Written by the NIC's thread; any thread may read, and sees each number as it was a moment ago.
 */
public final class NicCounters {
    /** Counters of the whole NIC. */
    public enum Total {
        /** Frames that came in. */
        FRAMES,
        /** Frames for the kernel: no RPC. */
        BYPASSED,
        /** Frames that nobody can do anything with: damaged, fragments, not for this NIC, or no room on the bypass. */
        DROPPED,
        /** Calls that came again: not run, and answered as before if there is an answer. */
        REPEATED,
        /** Requests that came in, nested ones among them. */
        REQUESTS,
        /** Requests that were answered with a result. */
        ANSWERED,
        /** Requests that were answered with a refusal. */
        REFUSED,
        /** Replies that the wire did not take. */
        LOST_ON_WIRE,
        /** Calls that threads made. */
        NESTED,
        /** Answers that came for nobody: the caller is gone or had waited too long. */
        UNWANTED_ANSWERS,
        /** Payloads that went by DMA. */
        BY_DMA,
        /** Loads that were none that could come. */
        STRAY_LOADS
    }

    /** Counters of each core. */
    public enum OfCore {
        /** Threads that it was told to run. */
        DISPATCHED,
        /** Requests delivered on it. */
        DELIVERED,
        /** Threads that had to yield. */
        YIELDS,
        /** Interrupts. */
        INTERRUPTS,
        /** Loads that were held for as long as they may be. */
        TRY_AGAINS,
        /** Times it was taken out of RPC. */
        RETIRED
    }

    /** Counters of each process. */
    public enum OfProcess {
        /** Requests that came in. */
        REQUESTS,
        /** Answered with a result. */
        ANSWERED,
        /** Answered with a refusal. */
        REFUSED,
        /** The most that were queued at a time. */
        MOST_QUEUED
    }

    /** Why a frame is among {@link Total#DROPPED}. */
    public enum Drop {
        /** To another station's MAC address. */
        OTHER_STATION,
        /** It ends before its headers, or before the lengths that they claim. */
        TRUNCATED,
        /** Lengths that contradict each other. */
        BAD_LENGTH,
        /** A fragment: nothing puts them together here. */
        FRAGMENT,
        /** Checksum of the IPv4 header. */
        BAD_IP_CHECKSUM,
        /** Checksum of the datagram. */
        BAD_UDP_CHECKSUM,
        /** More payload than there is room for. */
        TOO_LONG,
        /** A datagram that is no RPC. */
        NO_RPC,
        /** An answer to nothing that was asked, or a denial. */
        NO_CALL,
        /** A sender that cannot be one: a group, this NIC itself, or no port. */
        SPOOFED,
        /** No room on the bypass, or a frame in several pieces. */
        NO_ROOM;

        /** As counters and messages call it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    private static final VarHandle LONG = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] totals = new long[Total.values().length];
    private final long[] refusals = new long[Refusal.values().length];
    private final long[] drops = new long[Drop.values().length];
    private final long[] ofCores;
    private final long[] ofProcesses;

    NicCounters(int cores, int processes) {
        ofCores = new long[cores * OfCore.values().length];
        ofProcesses = new long[(processes + 1) * OfProcess.values().length];
    }

    void add(Total what) {
        add(totals, what.ordinal());
    }

    void add(Refusal why) {
        add(refusals, why.ordinal());
    }

    void add(Drop why) {
        add(Total.DROPPED);
        add(drops, why.ordinal());
    }

    void add(int core, OfCore what) {
        add(ofCores, core * OfCore.values().length + what.ordinal());
    }

    void add(int process, OfProcess what) {
        add(ofProcesses, process * PROCESS_COUNTERS + what.ordinal());
    }

    private static final int PROCESS_COUNTERS = OfProcess.values().length;

    void queued(int process, int many) {
        int at = process * PROCESS_COUNTERS + OfProcess.MOST_QUEUED.ordinal();
        if (many > ofProcesses[at]) {
            LONG.setOpaque(ofProcesses, at, (long) many);
        }
    }

    private static void add(long[] counters, int at) {
        LONG.setOpaque(counters, at, counters[at] + 1); // one writer
    }

    void set(Total what, long value) {
        LONG.setOpaque(totals, what.ordinal(), value);
    }

    /** A number of the whole NIC. */
    public long get(Total what) {
        return (long) LONG.getOpaque(totals, what.ordinal());
    }

    /** Requests refused for a reason. */
    public long get(Refusal why) {
        return (long) LONG.getOpaque(refusals, why.ordinal());
    }

    /** Frames dropped for a reason. */
    public long get(Drop why) {
        return (long) LONG.getOpaque(drops, why.ordinal());
    }

    /** A number of a core. */
    public long get(int core, OfCore what) {
        return (long) LONG.getOpaque(ofCores, core * OfCore.values().length + what.ordinal());
    }

    /** A number of a process. */
    public long get(int process, OfProcess what) {
        return (long) LONG.getOpaque(ofProcesses, process * PROCESS_COUNTERS + what.ordinal());
    }

    /** Sum over all cores. */
    public long sum(OfCore what) {
        long sum = 0;
        for (int core = 0; core < ofCores.length / OfCore.values().length; core++) {
            sum += get(core, what);
        }
        return sum;
    }
}
