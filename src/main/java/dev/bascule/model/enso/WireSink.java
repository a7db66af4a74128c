package dev.bascule.model.enso;

/** Where the model's frames go. */
@FunctionalInterface
public interface WireSink {
    /** Ignores every frame. */
    WireSink NONE = (frame, lengthBytes, cycle) -> {};

    /**
     * One frame leaves. Called on the model's thread; must not call back into the model.
     *
     * @param frame the frame from index 0, without FCS; reused after the call
     * @param lengthBytes its length
     * @param cycle when it leaves, in cycles of the model's clock
     */
    void frame(byte[] frame, int lengthBytes, long cycle);
}
