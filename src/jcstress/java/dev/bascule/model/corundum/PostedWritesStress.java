package dev.bascule.model.corundum;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A driver posts register writes while the device takes them: in order, whole, none twice, none written over. */
public class PostedWritesStress {
    private static final int LOW = Rig.CQ;
    private static final int HIGH = Rig.CQ + 4;
    private static final int OTHER_LOW = Rig.CQ + 16;
    private static final int CAPACITY = 1024;
    /** Of the thread that takes; too large to make one for each sample. */
    private static final ThreadLocal<CorundumDevice> DEVICE = ThreadLocal.withInitial(() -> new CorundumDevice(
            Rig.small().build(), new DiscardingMemory(), vector -> {}, (port, data, offset, length) -> {}, () -> 0,
            null));

    private final PostedWrites posted = new PostedWrites();

    private int take(int[] registers) {
        CorundumDevice device = DEVICE.get();
        for (int register : registers) {
            device.write(register, 4, 0);
        }
        return posted.drainTo(device);
    }

    private static int read(int register) {
        return (int) DEVICE.get().read(register, 4);
    }

    /** Two writes. */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "none yet")
    @Outcome(id = "1, 4096, 0", expect = Expect.ACCEPTABLE, desc = "the first")
    @Outcome(id = "2, 4096, 1", expect = Expect.ACCEPTABLE, desc = "both")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a write that nobody posted, or out of order")
    @State
    public static class InOrder {
        private static final int[] REGISTERS = { LOW, HIGH };
        private final PostedWritesStress queue = new PostedWritesStress();

        /** Posts. */
        @Actor
        public void driver() {
            queue.posted.add(LOW, 4, 4096);
            queue.posted.add(HIGH, 4, 1);
        }

        /** Takes. */
        @Actor
        public void device(III_Result r) {
            r.r1 = queue.take(REGISTERS);
            r.r2 = read(LOW);
            r.r3 = read(HIGH);
        }
    }

    /** No room: the next write comes into the place of the oldest. */
    @JCStressTest
    @Outcome(id = "0, 4096, 0", expect = Expect.ACCEPTABLE, desc = "no room for it yet")
    @Outcome(id = "1, 4096, 0", expect = Expect.ACCEPTABLE, desc = "posted, the oldest was taken before")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the oldest was written over")
    @State
    public static class Full {
        private static final int[] REGISTERS = { LOW, OTHER_LOW };
        private final PostedWritesStress queue = new PostedWritesStress();

        /** Full. */
        public Full() {
            queue.posted.add(LOW, 4, 4096);
            for (int i = 1; i < CAPACITY; i++) {
                queue.posted.add(HIGH, 4, 1);
            }
        }

        /** Posts one more, if there is room. */
        @Actor
        public void driver(III_Result r) {
            for (int look = 0; look < 10_000 && r.r1 == 0; look++) {
                r.r1 = queue.posted.add(OTHER_LOW, 4, 8192) ? 1 : 0;
            }
        }

        /** Takes all that were there. */
        @Actor
        public void device(III_Result r) {
            queue.take(REGISTERS);
            r.r2 = read(LOW);
            r.r3 = read(OTHER_LOW);
        }
    }
}
