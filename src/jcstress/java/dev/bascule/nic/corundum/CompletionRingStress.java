package dev.bascule.nic.corundum;

import dev.bascule.device.Bar;
import dev.bascule.device.BareModel;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.nic.RingMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * The device writes completions by DMA, 32 bytes whose phase tag is in the last one, while the driver looks for them:
 * with the tag of this pass it sees the rest of this pass. All samples share one ring, each takes the next records.
 */
@JCStressTest
@Outcome(id = "-1, -1, -1", expect = Expect.ACCEPTABLE, desc = "none yet")
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "the tag before the rest")
@State
public class CompletionRingStress {
    private static final Ring RING = new Ring();
    private static final int BATCH = 32;
    private static final int LOOKS = 2000;

    private static final class Ring {
        private static final int LOG_ENTRIES = 7;
        private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED
                .withOrder(ByteOrder.LITTLE_ENDIAN);
        private final BareModel model = new BareModel(new Bar(0, MqnicRegisters.BAR0_BYTES, true, true, List.of()),
                null);
        private final LoopbackDevice backing = LoopbackDevice.open(model);
        private final MemorySegment record = MemorySegment.ofArray(new byte[MqnicFormats.COMPLETION_BYTES]);
        private final AtomicInteger taken = new AtomicInteger();
        private final RingMemory memory;
        private final CompletionRing completions;
        private int written;

        Ring() {
            backing.setBusMaster(true);
            memory = new RingMemory(backing.addressSpace(), "bascule-stress",
                    CompletionRing.sizeBytes(LOG_ENTRIES));
            completions = new CompletionRing(backing, memory,
                    new QueueRange("completion queues", 0, 1, MqnicRegisters.COMPLETION_QUEUE_STRIDE), 0, LOG_ENTRIES,
                    0);
        }

        void write() {
            if (written - taken.get() < 1 << LOG_ENTRIES) {
                for (int at = 0; at < MqnicFormats.COMPLETION_BYTES; at += Long.BYTES) {
                    record.set(WORD, at, written);
                }
                boolean phase = (written >>> LOG_ENTRIES & 1) == 0;
                record.set(ValueLayout.JAVA_BYTE, MqnicFormats.COMPLETION_PHASE,
                        (byte) (phase ? MqnicFormats.COMPLETION_PHASE_BIT : 0));
                long slot = written++ & (1 << LOG_ENTRIES) - 1;
                model.dma().write(memory.iova(slot * MqnicFormats.COMPLETION_BYTES), record, 0,
                        MqnicFormats.COMPLETION_BYTES);
            }
        }
    }

    /** Writes the next completions, while there is room. */
    @Actor
    public void device() {
        for (int i = 0; i < BATCH; i++) {
            RING.write();
        }
    }

    /** Takes completions as they come; how far the words of the last one are from what they should be. */
    @Actor
    public void driver(III_Result r) {
        r.r1 = -1;
        r.r2 = -1;
        r.r3 = -1;
        int left = BATCH;
        for (int look = 0; look < LOOKS && left > 0; look++) {
            if (RING.completions.ready(1) == 1) {
                int next = RING.taken.getPlain();
                r.r1 = (int) RING.completions.word(0, 0) - next;
                r.r2 = (int) RING.completions.word(0, 8) - next;
                r.r3 = (int) RING.completions.word(0, 16) - next;
                RING.completions.advance(1);
                RING.taken.setRelease(next + 1);
                left = (r.r1 | r.r2 | r.r3) == 0 ? left - 1 : 0;
            }
        }
    }
}
