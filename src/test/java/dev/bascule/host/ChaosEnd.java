package dev.bascule.host;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.ForwardingAgentEnd;
import dev.bascule.agent.Identity;
import dev.bascule.agent.Transaction;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** An agent's end that misbehaves in one way, from a random call on, until the faults are over. */
final class ChaosEnd extends ForwardingAgentEnd {
    /** How an agent misbehaves. */
    enum Manner {
        GOOD, DIES, STOPS, LEAVES, SLOW, WRONG, SEALED, FORGES, WITHDRAWS, GROUPS, DIES_IN_GROUPS
    }

    /** The agent died. */
    static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Death() {
            super("killed", null, false, false);
        }
    }

    private static final int ZOMBIE_CALLS = 300;
    private static final long PATIENCE_NANOS = 3_000_000_000L;

    private final Manner manner;
    private final SplittableRandom random;
    private final ChaosTotals totals;
    private final ChaosForger forger;
    private final BooleanSupplier isAtWork;
    private final BooleanSupplier isOver;
    private int callsLeft;
    private int zombieCalls;
    private int decisions;
    private int group;
    private int members;

    ChaosEnd(AgentEnd end, Manner manner, SplittableRandom random, ChaosTotals totals, ChaosForger forger,
            BooleanSupplier isAtWork, BooleanSupplier isOver) {
        super(end);
        this.manner = manner;
        this.random = random;
        this.totals = totals;
        this.forger = forger;
        this.isAtWork = isAtWork;
        this.isOver = isOver;
        callsLeft = 200 + random.nextInt(4000);
    }

    @Override
    protected AgentEnd step() {
        if (zombieCalls > 0) {
            zombieCalls--;
            totals.add(ChaosFault.ZOMBIE_CALL);
        } else if (callsLeft > 0) {
            callsLeft--;
        } else if (decisions > 0 && !isOver.getAsBoolean() && isAtWork.getAsBoolean()) {
            strike();
        }
        return end;
    }

    private void strike() {
        switch (manner) {
            case DIES, DIES_IN_GROUPS -> {
                totals.add(ChaosFault.KILLED, "in epoch " + epoch());
                throw new Death();
            }
            case STOPS -> stopUntilFenced();
            case FORGES -> {
                forger.forge(random);
                totals.add(ChaosFault.FORGED_LINE);
                callsLeft = random.nextInt(20);
            }
            default -> {
                // elsewhere
            }
        }
    }

    private void stopUntilFenced() {
        long limit = System.nanoTime() + PATIENCE_NANOS;
        while (!end.isFenced() && System.nanoTime() < limit) {
            LockSupport.parkNanos(500_000);
        }
        if (end.isFenced()) {
            totals.add(ChaosFault.STOPPED, "in epoch " + epoch() + ", goes on now");
            zombieCalls = ZOMBIE_CALLS;
        }
        callsLeft = Integer.MAX_VALUE;
    }

    /** Whether the agent wants to end by itself now. */
    boolean leaves() {
        boolean now = manner == Manner.LEAVES && callsLeft == 0 && decisions > 0 && isAtWork.getAsBoolean();
        if (now) {
            totals.add(ChaosFault.REPLACED, "in epoch " + epoch());
        }
        return now;
    }

    @Override
    public boolean isFenced() {
        boolean isZombie = zombieCalls > 0 && !isOver.getAsBoolean(); // it may find no call to make
        return !isZombie && end.isFenced();
    }

    @Override
    public boolean stage(int cpu, Transaction decision) {
        AgentEnd to = step();
        if (!isOver.getAsBoolean()) {
            spoil(cpu, decision);
        }
        boolean staged = to.stage(cpu, decision);
        decisions += staged ? 1 : 0;
        return staged;
    }

    private void spoil(int cpu, Transaction decision) {
        boolean now = random.nextBoolean();
        switch (manner) {
            case WRONG -> {
                if (now) {
                    totals.add(ChaosFault.WRONG_DECISION);
                    makeWrong(cpu, decision);
                }
            }
            case SEALED -> {
                if (now) {
                    totals.add(ChaosFault.SEALED_WORDS);
                    makeRandom(cpu, decision);
                }
            }
            case GROUPS, DIES_IN_GROUPS -> {
                totals.add(ChaosFault.GROUP_MEMBER);
                int size = Math.min(2, end.shape().cpus());
                if (members++ % size == 0) {
                    group++;
                }
                decision.group(group, size);
            }
            default -> {
                // as the policy decided
            }
        }
    }

    private void makeWrong(int cpu, Transaction decision) {
        int task = decision.task();
        int sequence = decision.sequence();
        switch (random.nextInt(14)) {
            case 0 -> decision.words()[0] = Identity.of(epoch(), sequence, random.nextInt(Identity.MAX_TASKS));
            case 1 -> decision.words()[0] = Identity.of(epoch(), sequence + 1 - random.nextInt(3), task);
            case 2 -> decision.words()[0] = Identity.of(random.nextInt(65_536), sequence, task);
            case 3 ->
                decision.words()[0] = Identity.of(epoch(), sequence, Transaction.TARGET_NULL + random.nextInt(16));
            case 4 -> decision.set(random.nextInt(70_000), epoch(), sequence, task);
            case 5 -> decision.commitFlags(random.nextInt(256));
            case 6 -> decision.runFlags(random.nextInt(65_536));
            case 7 -> decision.version(random.nextInt(256));
            case 8 -> decision.sliceNanos(random.nextBoolean() ? Long.MAX_VALUE : Long.MIN_VALUE);
            case 9 -> decision.sliceNanos(random.nextLong());
            case 10 -> decision.group(random.nextInt(4), random.nextInt(65_536));
            case 11 -> decision.agentBarrier(random.nextInt());
            case 12 -> decision.commitFlags(Transaction.AT_COMMIT | Transaction.ALLOW_ONCPU);
            default -> decision.words()[0] = Identity.of(epoch(), sequence, random.nextInt(end.shape().tasks()));
        }
    }

    private void makeRandom(int cpu, Transaction decision) {
        for (int word = 0; word < decision.words().length; word++) {
            if (random.nextBoolean()) {
                decision.words()[word] = switch (random.nextInt(4)) {
                    case 0 -> -1;
                    case 1 -> 0;
                    case 2 -> decision.words()[word] ^ 1L << random.nextInt(64);
                    default -> random.nextLong();
                };
            }
        }
    }

    @Override
    public void commit() {
        step().commit();
        if (manner == Manner.WITHDRAWS && !isOver.getAsBoolean()) {
            for (int left = random.nextInt(4); left > 0; left--) {
                withdraw(random.nextInt(end.shape().cpus()));
            }
        }
    }

    @Override
    public boolean withdraw(int cpu) {
        boolean taken = step().withdraw(cpu);
        if (taken) {
            totals.add(ChaosFault.WITHDRAWAL);
        }
        return taken;
    }

    @Override
    public void heartbeat() {
        if (manner == Manner.SLOW && callsLeft == 0 && !isOver.getAsBoolean() && random.nextInt(20) == 0) {
            totals.add(ChaosFault.SLOW_ROUND);
            LockSupport.parkNanos(random.nextInt(4_000_000));
        }
        step().heartbeat();
    }
}
