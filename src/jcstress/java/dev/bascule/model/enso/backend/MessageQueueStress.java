package dev.bascule.model.enso.backend;

import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.Shared;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IJJ_Result;

/** A queue of one slot, full at first: the message taken is whole, and the next does not come into it too early. */
@JCStressTest
@Outcome(id = "0, 11, 12", expect = Expect.ACCEPTABLE, desc = "the first message, whole; no room for the second yet")
@Outcome(id = "1, 11, 12", expect = Expect.ACCEPTABLE, desc = "the first message, whole; the second was put")
@Outcome(expect = Expect.FORBIDDEN, desc = "a mixture")
@State
public class MessageQueueStress {
    private final PinnedMemory memory = Shared.part(MessageQueue.SLOT_BYTES);
    private final MessageQueue sender = new MessageQueue(memory.segment());
    private final MessageQueue receiver = new MessageQueue(memory.segment());

    /** The first message lies in the slot. */
    public MessageQueueStress() {
        sender.offer(1, 11, 12);
    }

    /** Puts the second if there is room. */
    @Actor
    public void send(IJJ_Result r) {
        r.r1 = sender.offer(2, 21, 22) ? 1 : 0;
    }

    /** Takes the first. */
    @Actor
    public void receive(IJJ_Result r) {
        receiver.poll();
        r.r2 = receiver.a();
        r.r3 = receiver.b();
    }
}
