package dev.bascule.model.enso;

/** Takes the configuration entries the TX engine finds. */
@FunctionalInterface
interface ConfigSink {
    /** Takes one entry of 64 bytes; the array is reused afterwards. */
    void config(byte[] entry);
}
