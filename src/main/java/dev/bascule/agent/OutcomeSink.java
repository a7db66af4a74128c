package dev.bascule.agent;

/** Receives the outcomes of an agent's decisions. */
@FunctionalInterface
public interface OutcomeSink {
    /**
     * One decision is settled.
     *
     * @param cpu its CPU
     * @param number its number
     * @param identity the target's identity as staged
     * @param outcome what became of it
     */
    void settled(int cpu, int number, long identity, Outcome outcome);
}
