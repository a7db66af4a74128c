package dev.bascule.cli;

import dev.bascule.model.CountedWire;
import dev.bascule.model.Losses;
import dev.bascule.model.WireEnd;
import dev.bascule.model.enso.CycleClock;
import dev.bascule.model.enso.EnsoBoard;
import dev.bascule.model.enso.backend.SoftwareBackend;
import dev.bascule.nic.enso.EnsoFormats;
import dev.bascule.ring.IdleStrategy;
import dev.bascule.run.Failure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * An Ensō device for programs of the upstream library built with its software back end, which reach it through queues in
 * huge pages. One thread does everything.
 */
final class EnsoPrograms implements AutoCloseable {
    private static final int WORK = 256;
    private static final int FRAMES = 64;
    private static final int SPINS_BEFORE_PARK = 2_000;
    private static final long PARK_NANOS = 50_000;
    private static final long LOOK_NANOS = 5_000_000;

    private static final long PATIENCE_NANOS = 5_000_000_000L;

    private final CountedWire wire;
    private final WireEnd.FrameSink arrival = new Arrival();
    private final SoftwareBackend backend;

    EnsoPrograms(Path prefix, CountedWire wire) {
        Path folder = prefix.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new Failure("--programs " + prefix + ": there is no folder " + folder + "; mount huge pages there: "
                    + "sudo mkdir -p " + folder + " && sudo mount -t hugetlbfs none " + folder);
        }
        if (!SoftwareBackend.knowsPhysicalAddresses()) {
            throw new Failure(
                    "--programs: the library's programs name memory by physical address, and the kernel tells "
                            + "these to root only; run it with sudo");
        }
        this.wire = wire;
        this.backend = new SoftwareBackend(prefix, EnsoBoard.DEFAULT, CycleClock.ofNanos(System::nanoTime),
                (frame, lengthBytes, cycle) -> wire.transmit(frame, 0, lengthBytes));
        backend.model().patience(PATIENCE_NANOS / EnsoFormats.NANOS_PER_CYCLE);
    }

    /**
     * Serves until {@code ended}; tells {@code changed} how many threads of programs there are.
     *
     * @throws IOException if the folder of the queues cannot be listed any more
     */
    void run(BooleanSupplier ended, IntConsumer changed) throws IOException {
        int programs = 0;
        IdleStrategy idle = IdleStrategy.spinThenPark(SPINS_BEFORE_PARK, PARK_NANOS);
        long looked = System.nanoTime() - LOOK_NANOS;
        while (!ended.getAsBoolean()) {
            if (System.nanoTime() - looked >= LOOK_NANOS) {
                looked = System.nanoTime();
                backend.lookForPrograms();
                if (backend.programCount() != programs) {
                    programs = backend.programCount();
                    changed.accept(programs);
                }
            }
            int done = wire.poll(arrival, FRAMES) + backend.work(WORK);
            idle.idle(done);
        }
    }

    /** Frames lost so far. */
    Losses losses() {
        return backend.model().metrics().losses().plus(wire.losses());
    }

    /** Notifications lost so far. */
    Losses unannounced() {
        return backend.model().metrics().unannounced();
    }

    private final class Arrival implements WireEnd.FrameSink {
        @Override
        public void frame(byte[] data, int offset, int lengthBytes) {
            backend.receive(data, offset, lengthBytes);
        }

        @Override
        public boolean offer(byte[] data, int offset, int lengthBytes) {
            return backend.offer(data, offset, lengthBytes);
        }
    }

    @Override
    public void close() {
        backend.close();
        wire.close();
    }
}
