package dev.bascule.agent;

/**
 * Counts of pressure and damage at a transport's end. Plain numbers, written by the end's thread; other threads may
 * read slightly old values. An end of several threads has one for each, and adds them up when it is asked.
 */
public final class TransportCounters {
    /** Messages that found a full channel. */
    public long overflows;
    /** Lines met while they were being written: read again later. */
    public long torn;
    /** Lines that stayed damaged and were skipped. */
    public long corrupt;
    /** Lines of another epoch, ignored. */
    public long foreignEpoch;
    /** Interrupts sent (agent) or taken (host). */
    public long interrupts;
    /** Fences executed by commit. */
    public long fences;
    /** Times the status words had to be read again. */
    public long resyncs;

    /** Offers taken back by the host before a decision came of them (the swap's reversals). */
    public long reversals;

    /** A copy. */
    public TransportCounters copy() {
        TransportCounters copy = new TransportCounters();
        copy.add(this);
        return copy;
    }

    /** Adds what another thread of the same end has seen. */
    public void add(TransportCounters other) {
        overflows += other.overflows;
        torn += other.torn;
        corrupt += other.corrupt;
        foreignEpoch += other.foreignEpoch;
        interrupts += other.interrupts;
        fences += other.fences;
        resyncs += other.resyncs;
        reversals += other.reversals;
    }

    @Override
    public String toString() {
        return "overflows " + overflows + ", torn " + torn + ", corrupt " + corrupt + ", foreign epoch " + foreignEpoch
                + ", interrupts " + interrupts + ", fences " + fences + ", resyncs " + resyncs
                + ", reversals " + reversals;
    }
}
