package dev.bascule.nic.enso;

import dev.bascule.device.Bar;
import dev.bascule.device.BareModel;
import dev.bascule.loopback.LoopbackDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The device writes notifications by DMA, 64 bytes whose signal is the first word, while the driver looks for them: with
 * the signal it sees the rest, never what the slot had one turn of the ring before. All samples share one ring, each
 * takes the next entries.
 */
@JCStressTest
@Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "none yet")
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "the signal before the rest")
@State
public class NotificationStress {
    private static final Ring RING = new Ring();
    private static final int BATCH = 32;
    private static final int LOOKS = 2000;

    private static final class Ring {
        private static final int ENTRIES = 1024;
        private final BareModel model = new BareModel(
                new Bar(EnsoRegisters.BAR_INDEX, EnsoRegisters.BAR_BYTES, true, true, List.of()), null);
        private final LoopbackDevice backing = LoopbackDevice.open(model);
        private final MemorySegment entry = Arena.global().allocate(EnsoFormats.ENTRY_BYTES, EnsoFormats.ENTRY_BYTES);
        private final AtomicInteger taken = new AtomicInteger();
        private final NotificationBuffer buffer;
        private int written;

        Ring() {
            backing.setBusMaster(true);
            buffer = new NotificationBuffer(backing.addressSpace(), new PipeRegisters(backing), 0,
                    EnsoConfig.ofRings(1024, ENTRIES));
        }

        void write() {
            if (written - taken.get() < ENTRIES - 1) {
                entry.set(ValueLayout.JAVA_LONG, EnsoFormats.SIGNAL, EnsoFormats.SIGNAL_DATA);
                entry.set(ValueLayout.JAVA_LONG, EnsoFormats.RX_PIPE, written);
                entry.set(ValueLayout.JAVA_LONG, EnsoFormats.RX_TAIL, written);
                long slot = written++ & ENTRIES - 1;
                model.dma().write(buffer.iova() + slot * EnsoFormats.ENTRY_BYTES, entry, 0, EnsoFormats.ENTRY_BYTES);
            }
        }
    }

    /** Writes the next notifications, while there is room. */
    @Actor
    public void device() {
        for (int i = 0; i < BATCH; i++) {
            RING.write();
        }
    }

    /** Takes notifications as they come; how far the fields of the last one are from what they should be. */
    @Actor
    public void driver(II_Result r) {
        r.r1 = -1;
        r.r2 = -1;
        int left = BATCH;
        for (int look = 0; look < LOOKS && left > 0; look++) {
            if (RING.buffer.arrived()) {
                int next = RING.taken.getPlain();
                r.r1 = RING.buffer.pipe() - next;
                r.r2 = (int) RING.buffer.tail() - next;
                RING.buffer.take();
                RING.taken.setRelease(next + 1);
                left = (r.r1 | r.r2) == 0 ? left - 1 : 0;
            }
        }
    }
}
