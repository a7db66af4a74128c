package dev.bascule.swap;

import dev.bascule.agent.HostControl;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.OutcomeSink;
import dev.bascule.agent.OutcomeWord;
import dev.bascule.agent.Transaction;
import dev.bascule.memory.Window;

/** The agent's end of a word; see {@link WordHostPort}. */
final class WordAgentPort implements AgentPort {
    private final int cpu;
    private final int epoch;
    private final OneWordSwap swap;
    private final HostControl host;
    private final Window memory;
    private final long decisionLine;
    private final long answerWord;
    private final Staged staged;
    private final long[] promise = new long[Line.WORDS];
    private int number;
    private boolean promised;
    private boolean asked;

    WordAgentPort(int cpu, int epoch, AtomicWord word, HostControl host, Window memory, SwapLayout layout) {
        this.cpu = cpu;
        this.epoch = epoch;
        this.host = host;
        this.memory = memory;
        swap = new OneWordSwap(word, 1);
        swap.follow();
        decisionLine = layout.decision(false, epoch, cpu, 0);
        answerWord = layout.hostLine(cpu);
        staged = new Staged(layout.shape().staged());
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
        if ((actions & Act.STOPPED) != 0) {
            return goOn();
        }
        if ((actions & Act.RESOLVED_REVERSED) != 0) {
            end(Outcome.ABORTED);
        }
        readAnswer();
        asked |= (actions & Act.DECIDE) != 0;
        return asked && !promised && promise();
    }

    /** The numbers of the word were used up; nothing is open in its new epoch that this agent knows of. */
    private boolean goOn() {
        if (!host.isOver(epoch)) {
            swap.follow();
            asked = false;
            readAnswer();
            end(Outcome.ABORTED);
        }
        return false;
    }

    private void readAnswer() {
        if (promised) {
            Outcome outcome = OutcomeWord.read(memory.loadAcquire(answerWord), number, epoch, answerWord);
            if (outcome != null) {
                end(outcome);
            }
        }
    }

    private void end(Outcome outcome) {
        if (promised) {
            promised = false;
            staged.committed(Answers.with(0, 0, outcome));
        }
    }

    private boolean promise() {
        if (staged.promise(promise, 1) == 0) {
            return false;
        }
        asked = false;
        promised = true;
        number = (int) promise[DecisionLine.NUMBER];
        DecisionLine.write(memory, decisionLine, number, epoch, promise, 0);
        memory.writeFence(); // partner: the host's compare-and-swap that finds the promise
        if ((swap.reflect(number) & Act.WRITE) == 0) {
            end(Outcome.ABORTED); // the offer was over
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
        } else if ((swap.withdraw() & Act.RESOLVED_REVERSED) != 0) {
            end(Outcome.ABORTED);
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
