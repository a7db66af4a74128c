package dev.bascule.ring;

import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.Shared;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A message that is seen is seen whole: commit's release store of the sequence against peek's acquire load. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not there yet")
@Outcome(id = "1, 7", expect = Expect.ACCEPTABLE, desc = "there and whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "torn")
@State
public class RingPublishStress {
    private final PinnedMemory memory = Shared.part(SlotRing.sizeBytes(2));
    private final SlotRingProducer producer = SlotRing.producer(memory, 2);
    private final SlotRingConsumer consumer = SlotRing.consumer(memory, 2);

    /** Sends one message. */
    @Actor
    public void send() {
        producer.write(1, 2, 3, 4, 5, 6, 7);
        producer.commit();
    }

    /** Looks once; the last word first, so that the words are read against the order of writing. */
    @Actor
    public void receive(JJ_Result result) {
        if (consumer.peek(1) == 1) {
            result.r2 = consumer.word(0, 6);
            result.r1 = consumer.word(0, 0);
        }
    }
}
