package dev.bascule.vfiouser;

import dev.bascule.ffi.KernelText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many files of clients this process maps at a time, for all its servers together. The kernel counts the mappings of a
 * process (vm.max_map_count) and a virtual machine that gets no further one ends: half of what was left when the first
 * server began stays its own. Any thread.
 */
final class MapBudget {
    private static final Path LIMIT = Path.of("/proc/sys/vm/max_map_count");
    private static final Path IN_USE = Path.of("/proc/self/maps");
    private static final long USUAL_LIMIT = 65_530;
    private static final int PROTOCOL_DEFAULT = 65_535;

    /** Mappings that a server offers: as many as this process maps files, should each be of a file of its own. */
    static final int OFFERED = (int) Math.clamp((limit() - inUse()) / 2, 1, PROTOCOL_DEFAULT);

    private static final AtomicInteger LEFT = new AtomicInteger(OFFERED);

    private MapBudget() {}

    /** Takes one; false when there is none. */
    static boolean take() {
        if (LEFT.decrementAndGet() >= 0) {
            return true;
        }
        give();
        return false;
    }

    static void give() {
        LEFT.incrementAndGet();
    }

    private static long limit() {
        try {
            return Long.parseLong(KernelText.read(LIMIT).strip());
        } catch (IOException | NumberFormatException e) {
            return USUAL_LIMIT;
        }
    }

    private static long inUse() {
        try {
            return KernelText.lines(IN_USE).size();
        } catch (IOException e) {
            return 0;
        }
    }
}
