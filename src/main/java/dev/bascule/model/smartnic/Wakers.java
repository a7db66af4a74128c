package dev.bascule.model.smartnic;

import dev.bascule.model.smartnic.SmartNicRegion.Direction;
import java.util.function.Supplier;

/** One waker per signal of a region, made when first asked for. */
final class Wakers implements AutoCloseable {
    private final Supplier<Waker> kind;
    private final Waker[] wakers = new Waker[2 * SmartNicRegion.SIGNALS];

    private Wakers(Supplier<Waker> kind) {
        this.kind = kind;
    }

    static Wakers local() {
        return new Wakers(Waker.Local::new);
    }

    static Wakers polling() {
        return new Wakers(Waker.Poll::new);
    }

    synchronized Waker of(Direction direction, int number) {
        int index = direction.ordinal() * SmartNicRegion.SIGNALS + number;
        Waker waker = wakers[index];
        if (waker == null) {
            waker = kind.get();
            wakers[index] = waker;
        }
        return waker;
    }

    @Override
    public synchronized void close() {
        for (Waker waker : wakers) {
            if (waker != null) {
                waker.close();
            }
        }
    }
}
