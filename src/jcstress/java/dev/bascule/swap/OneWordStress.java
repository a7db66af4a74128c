package dev.bascule.swap;

import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.Shared;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/** J4: commit, reverse and withdraw of one promise at once; one wins, and the word says which. */
@JCStressTest
@Outcome(id = "1, 0, 0, 4", expect = Expect.ACCEPTABLE, desc = "committed")
@Outcome(id = "0, 1, 0, 5", expect = Expect.ACCEPTABLE, desc = "reversed by the host")
@Outcome(id = "0, 0, 1, 5", expect = Expect.ACCEPTABLE, desc = "withdrawn by the agent")
@Outcome(expect = Expect.FORBIDDEN, desc = "two winners, none, or a word that disagrees")
@State
public class OneWordStress {
    private final PinnedMemory memory = Shared.part(Long.BYTES);
    private final AtomicWord word = new SegmentWord(memory.segment(), 0);
    private final OneWordSwap host = new OneWordSwap(word, 1);
    private final OneWordSwap agent = new OneWordSwap(word, 1);

    public OneWordStress() {
        word.compareAndSet(0, OneWord.of(OneWord.IDLE, 1, 0, 0));
        host.offer(1);
        agent.look();
        agent.reflect(2);
    }

    @Actor
    public void commit(IIII_Result r) {
        r.r1 = host.commit() == SwapAction.COMMITTED ? 1 : 0;
    }

    @Actor
    public void reverse(IIII_Result r) {
        r.r2 = host.reverse() == SwapAction.REVERSED ? 1 : 0;
    }

    @Actor
    public void withdraw(IIII_Result r) {
        r.r3 = agent.withdraw() == SwapAction.RESOLVED_REVERSED ? 1 : 0;
    }

    @Arbiter
    public void word(IIII_Result r) {
        r.r4 = OneWord.state(word.get());
    }
}
