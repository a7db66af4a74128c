package dev.bascule.study.enso;

/**
 * Time the host spends per packet with one application on two interfaces; the simulated devices' time is not counted.
 *
 * @param name the application
 * @param pipeNanos per packet on Ensō's pipes
 * @param packetNanos per packet on Corundum's queues
 * @param pipeMisses cache misses on pipes
 * @param packetMisses cache misses on queues
 */
record AppRatio(String name, double pipeNanos, double packetNanos, CacheMisses pipeMisses,
        CacheMisses packetMisses) {
    /** How many times more packets a core can handle on pipes. */
    double ratio() {
        return packetNanos / pipeNanos;
    }
}
