package dev.bascule.swap;

import dev.bascule.agent.HostControl;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.OutcomeWord;
import dev.bascule.agent.Transaction;
import dev.bascule.agent.region.AgentRegion;
import dev.bascule.memory.Window;

/** The agent's end of a word; see {@link WordHostExchange}. */
final class WordAgentExchange implements AgentExchange {
    private final int cpu;
    private final int epoch;
    private final OneWordSwap swap;
    private final HostControl host;
    private final Window memory;
    private final Window decisions;
    private final long decisionLine;
    private final long answerWord;
    private final StagedDecisions staged;
    private final long[] promise = new long[Line.WORDS];
    private int number;
    private boolean promised;
    private boolean asked;

    /** @param push the word and the decision lie in host memory */
    WordAgentExchange(int cpu, AgentRegion region, AtomicWord word, boolean push, SwapLayout layout) {
        this.cpu = cpu;
        epoch = region.epoch();
        host = region.host();
        memory = region.nic();
        decisions = push ? region.hostMemory() : memory;
        swap = new OneWordSwap(word, 1);
        swap.follow();
        decisionLine = layout.decision(push, epoch, cpu, 0);
        answerWord = layout.hostLine(cpu);
        staged = new StagedDecisions(layout.shape().staged());
    }

    @Override
    public int room() {
        return staged.room();
    }

    @Override
    public boolean hasRoom() {
        return staged.room() > 0;
    }

    @Override
    public void stage(Transaction decision) {
        staged.add(cpu, decision);
    }

    @Override
    public void commit() {
        staged.commit();
    }

    @Override
    public boolean turn() {
        int actions = swap.look();
        if ((actions & SwapAction.STOPPED) != 0) {
            return followHost();
        }
        if ((actions & SwapAction.RESOLVED_REVERSED) != 0) {
            resolve(Outcome.ABORTED);
        }
        readAnswer();
        asked |= (actions & SwapAction.DECIDE) != 0;
        return asked && !promised && promise();
    }

    /** The word ran out of numbers and its host went on in a new word epoch, in which nothing is open yet. */
    private boolean followHost() {
        if (!host.isOver(epoch)) {
            swap.follow();
            asked = false;
            readAnswer();
            resolve(Outcome.ABORTED);
        }
        return false;
    }

    private void readAnswer() {
        if (promised) {
            Outcome outcome = OutcomeWord.read(memory.loadAcquire(answerWord), number, epoch, answerWord);
            if (outcome != null) {
                resolve(outcome);
            }
        }
    }

    private void resolve(Outcome outcome) {
        if (promised) {
            promised = false;
            staged.committed(OutcomeBits.with(0, 0, outcome));
        }
    }

    private boolean promise() {
        if (staged.promise(promise, 1) == 0) {
            return false;
        }
        asked = false;
        promised = true;
        number = (int) promise[DecisionLine.NUMBER];
        DecisionLine.write(decisions, decisionLine, number, epoch, promise, 0);
        decisions.writeFence(); // partner: the host's compare-and-swap that finds the promise
        if ((swap.reflect(number) & SwapAction.WRITE) == 0) {
            resolve(Outcome.ABORTED); // the offer was over
            return false;
        }
        return true;
    }

    @Override
    public boolean withdraw() {
        if (!staged.isOpen()) {
            return false;
        }
        if (staged.isStaged()) {
            staged.withdrawn();
        } else if ((swap.withdraw() & SwapAction.RESOLVED_REVERSED) != 0) {
            resolve(Outcome.ABORTED);
        }
        return true;
    }

    @Override
    public int outcomes(OutcomeSink sink) {
        return staged.settle(cpu, sink);
    }

    @Override
    public void repeat() {
        // coherent memory loses nothing
    }
}
