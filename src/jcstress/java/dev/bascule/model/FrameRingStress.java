package dev.bascule.model;

import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.Shared;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A frame that is seen is whole: the release of the ring's tail in offer against the acquire in poll. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not there yet")
@Outcome(id = "60, 9", expect = Expect.ACCEPTABLE, desc = "the frame, whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "a part of the frame")
@State
public class FrameRingStress {
    private static final byte[] FRAME = frame();

    private final PinnedMemory memory = Shared.part(FrameRing.HEADER_BYTES + 2L * FrameRing.MAX_FRAME_BYTES);
    private final FrameRing sender = new FrameRing(memory.segment());
    private final FrameRing receiver = new FrameRing(memory.segment());

    private static byte[] frame() {
        byte[] frame = new byte[60];
        java.util.Arrays.fill(frame, (byte) 9);
        return frame;
    }

    /** Sends a frame. */
    @Actor
    public void send() {
        sender.offer(FRAME, 0, FRAME.length);
    }

    /** Looks once. */
    @Actor
    public void receive(II_Result r) {
        receiver.poll((data, offset, length) -> {
            r.r1 = length;
            r.r2 = data[offset + length - 1];
        }, 1);
    }
}
