package dev.bascule.swap;

import java.util.EnumSet;
import java.util.Set;

/** A configuration of {@link SwapModel}: bounds, and which parts of the protocol the harness undoes. */
record SwapSetting(int tokens, int maxN, int maxE, int maxCrash, Set<Switch> switches) {
    /** Ablations undo a rule around the production functions; the last three add behaviour of the protocol. */
    enum Switch {
        /** The agent is restarted without a new epoch. */
        NO_EPOCH,
        /** The agent gives up a promise alone. */
        NIC_GUESS,
        /** The host changes a token while it is on offer. */
        NO_FREEZE,
        /** The host changes a token that the agent owns. */
        NO_OWNER,
        /** The record changes in one step, the commit word in the next. */
        TWO_STEP,
        /** The host never reverses and never fences. */
        NO_WINDOW,
        /** The agent may HOLD and REFUSE, and reading and answering an offer are two steps. */
        ANSWERS,
        /** The unused record slot is part of the state, and the host may crash before the commit word is stored. */
        FULL_RECORD,
        /** A fenced agent lives on beside the new one. */
        ZOMBIE
    }

    static SwapSetting of(int tokens, int maxN, int maxE, int maxCrash, Switch... switches) {
        Set<Switch> set = EnumSet.noneOf(Switch.class);
        set.addAll(Set.of(switches));
        return new SwapSetting(tokens, maxN, maxE, maxCrash, set);
    }

    boolean has(Switch s) {
        return switches.contains(s);
    }
}
