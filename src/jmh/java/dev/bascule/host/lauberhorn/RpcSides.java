package dev.bascule.host.lauberhorn;

import dev.bascule.lauberhorn.LineHead;
import dev.bascule.lauberhorn.LineLayout;
import dev.bascule.lauberhorn.NicEndpoint;
import dev.bascule.lauberhorn.NicLines;
import dev.bascule.lauberhorn.ProcessLayout;
import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.PinnedWindow;
import dev.bascule.memory.Window;
import dev.bascule.ring.IdleStrategy;

/**
 * A request of one line of 64 bytes by the production ends: the NIC fills the held line, the thread jumps to the handler that
 * it names, the result goes into the line, the load of the other line says so, the NIC fetches it. The same bytes and steps
 * as {@code native/bench/lauberhorn.c}.
 * <p>
 * What one side writes in the heap shares no line with what the other reads, as nothing of the twin's does: the sum of the
 * handlers is an object of the core's, and room lies between the two.
 */
public final class RpcSides {
    private static final int PROCESS = 1;
    private static final int HANDLERS = 4;
    private static final int BYTES = 32;
    private static final ProcessLayout LAYOUT = new ProcessLayout(new LineLayout(64, 0, 0), 1);
    private static final int ROOM_WORDS = 64;
    private static final long ENDLESS = Long.MAX_VALUE / 2;

    private final int pauses;
    private final PinnedMemory memory = PinnedMemory.allocate(LAYOUT.sizeBytes());
    private final long[] payload = new long[BYTES / Long.BYTES];
    private final long[] result = new long[2];
    private final NicLines nic;
    @SuppressWarnings("unused") // room
    private final long[] between;
    private final Core core;
    @SuppressWarnings("unused") // room
    private final long[] behind;

    /** The core's side: its thread, and the sum of what its handlers returned. */
    private static final class Core {
        private final UserThread thread;
        private long sum;

        Core(PinnedMemory memory, int pauses) {
            RpcHandler[] handlers = new RpcHandler[HANDLERS];
            for (int i = 0; i < HANDLERS; i++) {
                int which = i;
                handlers[i] = call -> {
                    long value = call.longAt(0) + call.longAt(1) + call.longAt(2) + call.longAt(3) + which;
                    sum += value;
                    call.setLong(0, value);
                };
            }
            thread = new UserThread(0, PROCESS, handlers, new PinnedWindow(memory), LAYOUT, IdleStrategy.spin(pauses),
                    new Sleeper.Local(), core -> new Sleeper.Local(), ENDLESS);
            thread.lines().announce();
        }
    }

    /** Ends on memory of their own; {@code pauses} PAUSE instructions between two looks. */
    public RpcSides(int pauses) {
        this.pauses = pauses;
        Window window = new PinnedWindow(memory);
        nic = new NicLines(window, LAYOUT.lines(), LAYOUT.requests(0), NicEndpoint.receive(PROCESS));
        nic.reset(1);
        between = new long[ROOM_WORDS];
        core = new Core(memory, pauses);
        behind = new long[ROOM_WORDS];
    }

    /** The core's side: as many requests; returns the sum of what its handlers returned. */
    public long serve(long start, long count) {
        UserThread thread = core.thread;
        long before = core.sum;
        for (long i = 0; i < count; i++) {
            if (thread.lines().await() != LineHead.REQUEST) {
                throw new IllegalStateException("no request");
            }
            thread.request();
            thread.lines().announce();
        }
        return core.sum - before;
    }

    /** The NIC's side: as many requests; returns the sum of their results. */
    public long dispatch(long start, long count) {
        long sum = 0;
        for (long i = start + 1; i <= start + count; i++) {
            awaitLoad();
            fill(i);
            awaitLoad();
            sum += fetch();
        }
        return sum;
    }

    /** Both sides of one request on one thread. */
    public long both(long i) {
        awaitLoad();
        fill(i);
        serve(i, 1);
        awaitLoad();
        return fetch();
    }

    private void awaitLoad() {
        while (!nic.endpoint().isHeld() && !nic.endpoint().isFetching() && nic.poll(0, ENDLESS) == 0) {
            for (int p = 0; p < pauses; p++) {
                Thread.onSpinWait();
            }
        }
    }

    private void fill(long i) {
        for (int k = 0; k < payload.length; k++) {
            payload[k] = i + k;
        }
        nic.fill(LineHead.REQUEST, i % HANDLERS, 0, payload, BYTES, 0);
    }

    private long fetch() {
        if (!nic.endpoint().isAnswer(nic.fetchedHead()) || (int) nic.fetchedSize() != Long.BYTES) {
            throw new IllegalStateException("no reply");
        }
        nic.fetchPayload(result, Long.BYTES, false);
        nic.endpoint().fetched();
        return result[0];
    }
}
