package dev.bascule.host;

import java.util.SplittableRandom;

/** Writes one protocol line or word of hostile content where an agent of the present epoch would, and seals it as that. */
public interface ChaosForger extends AutoCloseable {
    /** One line or word. */
    void forge(SplittableRandom random);

    /** Lets go of its mapping of the region. */
    @Override
    void close();
}
