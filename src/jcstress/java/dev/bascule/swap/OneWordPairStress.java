package dev.bascule.swap;

import dev.bascule.memory.PinnedMemory;
import dev.bascule.memory.Shared;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** J4 in pairs, for machines with fewer than three processors, which skip {@link OneWordStress}. */
public class OneWordPairStress {
    private final PinnedMemory memory = Shared.part(Long.BYTES);
    private final AtomicWord word = new SegmentWord(memory.segment(), 0);
    final OneWordSwap host = new OneWordSwap(word, 1);
    final OneWordSwap agent = new OneWordSwap(word, 1);

    OneWordPairStress() {
        word.compareAndSet(0, OneWord.of(OneWord.IDLE, 1, 0, 0));
        host.offer(1);
        agent.look();
        agent.reflect(2);
    }

    int outcome() {
        return OneWord.state(word.get());
    }

    /** The host commits while the agent withdraws. */
    @JCStressTest
    @Outcome(id = "1, 0, 4", expect = Expect.ACCEPTABLE, desc = "committed")
    @Outcome(id = "0, 1, 5", expect = Expect.ACCEPTABLE, desc = "withdrawn by the agent")
    @Outcome(expect = Expect.FORBIDDEN, desc = "two winners, none, or a word that disagrees")
    @State
    public static class CommitAgainstWithdraw {
        private final OneWordPairStress swap = new OneWordPairStress();

        @Actor
        public void commit(III_Result r) {
            r.r1 = swap.host.commit() == SwapAction.COMMITTED ? 1 : 0;
        }

        @Actor
        public void withdraw(III_Result r) {
            r.r2 = swap.agent.withdraw() == SwapAction.RESOLVED_REVERSED ? 1 : 0;
        }

        @Arbiter
        public void word(III_Result r) {
            r.r3 = swap.outcome();
        }
    }

    /** The dispatcher commits while the timer reverses. */
    @JCStressTest
    @Outcome(id = "1, 0, 4", expect = Expect.ACCEPTABLE, desc = "committed")
    @Outcome(id = "0, 1, 5", expect = Expect.ACCEPTABLE, desc = "reversed by the host")
    @Outcome(expect = Expect.FORBIDDEN, desc = "two winners, none, or a word that disagrees")
    @State
    public static class CommitAgainstReverse {
        private final OneWordPairStress swap = new OneWordPairStress();

        @Actor
        public void commit(III_Result r) {
            r.r1 = swap.host.commit() == SwapAction.COMMITTED ? 1 : 0;
        }

        @Actor
        public void reverse(III_Result r) {
            r.r2 = swap.host.reverse() == SwapAction.REVERSED ? 1 : 0;
        }

        @Arbiter
        public void word(III_Result r) {
            r.r3 = swap.outcome();
        }
    }
}
