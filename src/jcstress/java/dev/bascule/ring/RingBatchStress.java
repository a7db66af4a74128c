package dev.bascule.ring;

import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.Shared;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A batch is published by one release store, of the oldest message's sequence: whoever sees the oldest sees all of
 * them, whole, though their own sequences are plain stores.
 */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "not there yet")
@Outcome(id = "3, 17, 27", expect = Expect.ACCEPTABLE, desc = "the whole batch")
@Outcome(expect = Expect.FORBIDDEN, desc = "a part of the batch")
@State
public class RingBatchStress {
    private final PinnedMemory memory = Shared.part(SlotRing.sizeBytes(4));
    private final SlotRingProducer producer = SlotRing.producer(memory, 4);
    private final SlotRingConsumer consumer = SlotRing.consumer(memory, 4);

    /** Sends three messages. */
    @Actor
    public void send() {
        producer.write(0, 1, 2, 3, 4, 5, 6, 7);
        producer.write(1, 11, 12, 13, 14, 15, 16, 17);
        producer.write(2, 21, 22, 23, 24, 25, 26, 27);
        producer.commit(3);
    }

    /** Looks once. */
    @Actor
    public void look(III_Result result) {
        result.r1 = consumer.peek(4);
        if (result.r1 == 3) {
            result.r2 = (int) consumer.word(1, 6);
            result.r3 = (int) consumer.word(2, 6);
        }
    }
}
