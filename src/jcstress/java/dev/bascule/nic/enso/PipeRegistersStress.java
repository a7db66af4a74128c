package dev.bascule.nic.enso;

import dev.bascule.device.Bar;
import dev.bascule.device.BareModel;
import dev.bascule.device.MappableMemory;
import dev.bascule.loopback.LoopbackDevice;
import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Two threads on the lanes of one mapped BAR: a 64-bit store is seen whole, and what was written before it is seen with
 * it. Each sample has a line of its own.
 */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "before the store")
@Outcome(id = "0, 0, 7", expect = Expect.ACCEPTABLE, desc = "between the write and the store")
@Outcome(id = "5, 6, 7", expect = Expect.ACCEPTABLE, desc = "both")
@Outcome(expect = Expect.FORBIDDEN, desc = "half a store, or a store before what was written before it")
@State
public class PipeRegistersStress {
    private static final long BYTES = Long.highestOneBit(EnsoRegisters.USED_BYTES) << 1;
    private static final PipeRegisters LANES = new PipeRegisters(LoopbackDevice.open(new BareModel(
            Bar.memory(EnsoRegisters.BAR_INDEX, BYTES),
            MappableMemory.local(Arena.global().allocate(BYTES, EnsoRegisters.PAGE_BYTES)))));
    private static final AtomicLong NEXT = new AtomicLong();

    private final long line = NEXT.getAndAdd(EnsoRegisters.LINE_BYTES) % EnsoRegisters.USED_BYTES;
    private int written;

    /** A fresh line. */
    public PipeRegistersStress() {
        LANES.store64(line, 0);
    }

    /** Writes, and tells. */
    @Actor
    public void teller() {
        written = 7;
        LANES.store64(line, PipeRegisters.pointers(5, 6));
    }

    /** Looks. */
    @Actor
    public void looker(III_Result r) {
        long both = LANES.load64(line);
        r.r1 = (int) both;
        r.r2 = (int) (both >>> 32);
        r.r3 = written;
    }
}
