package dev.bascule.wave;

/**
 * Counts of pressure and damage at one end of a bulk queue. Written by the end's thread; others may read late values.
 */
public final class BulkCounters {
    /** Sends refused because lines or payload bytes were used up. */
    public long full;
    /** Credit words that were not sealed, of another queue, or beyond what was sent: ignored. */
    public long refusedCredits;
    /** Looks at a descriptor line that was not whole (yet). */
    public long torn;
    /** Messages given up because their descriptor never came or stayed damaged. */
    public long lost;
    /** Messages skipped because their descriptor points outside of the payload ring. */
    public long refusedDescriptors;
    /** Messages skipped because their payload does not fit its digest. */
    public long damagedPayloads;

    /** Messages the receiver did not hand out. */
    public long skipped() {
        return lost + refusedDescriptors + damagedPayloads;
    }

    @Override
    public String toString() {
        return "full " + full + ", refused credits " + refusedCredits + ", torn " + torn + ", lost " + lost
                + ", refused descriptors " + refusedDescriptors + ", damaged payloads " + damagedPayloads;
    }
}
