package dev.bascule.workload;

import dev.bascule.host.YieldPoint;
import java.util.stream.Collectors;

/**
 * Synthetic work: spins for the nominal time of the request's kind, with a yield point every few microseconds. Time
 * spent inside the yield point does not count as work; time the operating system takes away does.
 */
public final class SpinService implements Service {
    private static final long DEFAULT_SLICE_NANOS = 5_000;

    private final ServiceMix mix;
    private final long[] serviceNanos;
    private final long sliceNanos;
    private volatile boolean closed;

    /** Spins the times of this mix. */
    public SpinService(ServiceMix mix) {
        this(mix, DEFAULT_SLICE_NANOS);
    }

    SpinService(ServiceMix mix, long sliceNanos) {
        this.mix = mix;
        this.sliceNanos = sliceNanos;
        this.serviceNanos = mix.kinds().stream().mapToLong(RequestKind::serviceNanos).toArray();
    }

    @Override
    public int execute(long requestId, int kind, YieldPoint yield) {
        if (closed) {
            throw new IllegalStateException("the spin service is closed");
        }
        long left = serviceNanos[kind];
        while (left > sliceNanos) {
            left -= spin(sliceNanos);
            yield.maybeYield();
        }
        spin(left);
        return OK;
    }

    /** Spins at least so long; the time really spent. */
    private static long spin(long nanos) {
        long start = System.nanoTime();
        long spent = 0;
        while (spent < nanos) {
            Thread.onSpinWait();
            spent = System.nanoTime() - start;
        }
        return spent;
    }

    @Override
    public ServiceMix mix() {
        return mix;
    }

    @Override
    public String describe() {
        return "synthetic spin: " + mix.kinds().stream()
                .map(k -> String.format("%s %.2f %% x %.1f us", k.name(), 100 * k.share(), k.serviceNanos() / 1e3))
                .collect(Collectors.joining(", "));
    }

    @Override
    public void close() {
        closed = true;
    }
}
