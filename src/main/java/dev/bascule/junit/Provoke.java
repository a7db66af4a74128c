package dev.bascule.junit;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.Mechanism;
import dev.bascule.agent.Message;
import dev.bascule.agent.Outcome;
import dev.bascule.agent.Transaction;

/** Brings about each of the sixteen outcomes through a transport, and returns what the agent was told. */
final class Provoke {
    private Provoke() {}

    static Outcome outcome(Outcome wanted, TransportRig rig, AgentEnd agent) {
        Mechanism host = rig.host();
        int task = host.create(true, -1, 0, 0);
        host.commit();
        Message message = new Message();
        while (agent.peek(message)) {
            agent.consume();
        }
        Transaction decision = TransportRig.decision(agent, 0, task, host.sequence(task));
        rig.ask(agent, 0);
        prepare(wanted, rig, agent, task, decision);
        agent.stage(0, decision);
        if (wanted == Outcome.ABORTED) {
            agent.withdraw(0);
        }
        agent.commit();
        Outcome[] told = new Outcome[1];
        long deadline = System.nanoTime() + 5_000_000_000L;
        while (told[0] == null && System.nanoTime() < deadline) {
            host.decide(0);
            host.commit();
            agent.outcomes((cpu, number, identity, outcome) -> told[0] = cpu == 0 ? outcome : told[0]);
        }
        return told[0];
    }

    private static void prepare(Outcome wanted, TransportRig rig, AgentEnd agent, int task, Transaction decision) {
        Mechanism host = rig.host();
        switch (wanted) {
            case TARGET_ONCPU -> {
                rig.ask(agent, 1);
                agent.stage(1, TransportRig.decision(agent, 1, task, host.sequence(task)));
                agent.commit();
                host.decide(1);
            }
            case TARGET_STALE -> host.setPriority(task, 5);
            case TARGET_NOT_FOUND -> {
                host.killed(task);
                decision.set(0, agent.epoch(), host.sequence(task), task);
            }
            case TARGET_NOT_RUNNABLE -> {
                int sleeper = host.create(false, -1, 0, 0);
                decision.set(0, agent.epoch(), host.sequence(sleeper), sleeper);
            }
            case AGENT_STALE -> {
                decision.agentBarrier(agent.barrier());
                host.tick(0);
            }
            case CPU_OFFLINE -> host.cpuOffline(0);
            case CPU_UNAVAIL -> host.cpuBusy(0);
            case INVALID_FLAGS -> decision.commitFlags(Transaction.AT_SCHEDULE | Transaction.AT_COMMIT);
            case INVALID_TARGET -> decision.set(0, agent.epoch(), 1, Transaction.TARGET_AGENT + 1);
            case NOT_PERMITTED -> {
                host.setAffinity(task, 0b10);
                decision.set(0, agent.epoch(), host.sequence(task), task);
            }
            case NO_AGENT -> decision.set(0, agent.epoch() + 1, host.sequence(task), task);
            case UNSUPPORTED_VERSION -> decision.version(99);
            case INVALID_CPU -> decision.set(1, agent.epoch(), host.sequence(task), task);
            case POISONED -> decision.group(3, 2);
            default -> {
                // COMPLETE and ABORTED need nothing
            }
        }
    }
}
