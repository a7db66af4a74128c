package dev.bascule.ring;

import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.Shared;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * A slot is not written again before its reader is done: the consumer's release store of the credit against the
 * producer's acquire load. The ring is full at the start; the third message goes into the slot of the first.
 */
@JCStressTest
@Outcome(id = "10, 16, 0", expect = Expect.ACCEPTABLE, desc = "the first message, whole; no credit for a third yet")
@Outcome(id = "10, 16, 1", expect = Expect.ACCEPTABLE, desc = "the first message, whole; the third was sent")
@Outcome(expect = Expect.FORBIDDEN, desc = "the reader saw the next lap")
@State
public class RingReuseStress {
    private final SlotRingProducer producer;
    private final SlotRingConsumer consumer;

    /** Fills the ring and lets the consumer see both messages. */
    public RingReuseStress() {
        PinnedMemory memory = Shared.part(SlotRing.sizeBytes(2));
        producer = SlotRing.producer(memory, 2);
        consumer = SlotRing.consumer(memory, 2);
        producer.write(10, 11, 12, 13, 14, 15, 16);
        producer.write(20, 21, 22, 23, 24, 25, 26);
        producer.commit();
    }

    /** Sends the third message when there is room. */
    @Actor
    public void send(JJJ_Result result) {
        if (producer.write(30, 31, 32, 33, 34, 35, 36)) {
            producer.commit();
            result.r3 = 1;
        }
    }

    /** Reads the first message and gives both slots back. */
    @Actor
    public void receive(JJJ_Result result) {
        if (consumer.peek(2) == 2) {
            result.r1 = consumer.word(0, 0);
            result.r2 = consumer.word(0, 6);
            consumer.consume(2);
            consumer.peek(1);
        }
    }
}
