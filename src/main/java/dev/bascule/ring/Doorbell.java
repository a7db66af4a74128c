package dev.bascule.ring;

/** Tells the other side that there is work: a tail register, an MSI-X message or an eventfd. */
@FunctionalInterface
public interface Doorbell {
    /** A doorbell for peers that poll: ringing it does nothing. */
    Doorbell NONE = tail -> {};

    /** Rings with the new tail or, for a message interrupt, the vector's cookie. Never blocks. */
    void ring(long tail);

    /** Called after the last ring of a batch, for a doorbell that rings for several at once. */
    default void flush() {}
}
