package dev.bascule.wave;

import java.util.EnumSet;
import java.util.Set;

/**
 * A configuration of {@link WaveModel}: bounds, and which rules the harness undoes around the production code.
 *
 * @param maxEvents events outside the agent's will: blocks, wake-ups, kills, new tasks, decisions of the host
 * @param maxN decisions of one agent for one CPU
 */
record WaveSetting(int cpus, int tasks, int maxEvents, int maxN, int maxE, int maxCrash, Set<Switch> switches) {
    /** The first four undo a rule; the others add behaviour of the world. */
    enum Switch {
        /** The host believes every decision to be of the task's present version. */
        NO_SEQUENCE,
        /** A new agent takes over in the old epoch. */
        NO_EPOCH,
        /** A decision is checked in one step and enforced in the next. */
        TWO_STEP,
        /** The line's first word alone says that the line is whole. */
        NO_DIGEST,
        /** Lines arrive word by word, in the order in which they were written. */
        PIECES,
        /** With {@link #PIECES}: in any order within what a fence closes. */
        ANY_ORDER,
        /** A fenced agent goes on deciding, in the lines of its epoch. */
        ZOMBIE,
        /** The agent is the shipped FIFO policy instead of one that may stage anything it knows. */
        POLICY
    }

    static WaveSetting of(int cpus, int tasks, int maxEvents, int maxN, int maxE, int maxCrash, Switch... switches) {
        Set<Switch> set = EnumSet.noneOf(Switch.class);
        set.addAll(Set.of(switches));
        return new WaveSetting(cpus, tasks, maxEvents, maxN, maxE, maxCrash, set);
    }

    boolean has(Switch s) {
        return switches.contains(s);
    }
}
