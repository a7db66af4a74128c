package dev.bascule.model.corundum;

/** Wires that a device's ports are plugged into. Ports are counted over all interfaces. */
@FunctionalInterface
public interface Wire {
    /** A frame leaves {@code port}, without FCS and padding; the bytes are valid during the call only. */
    void transmit(int port, byte[] data, int offset, int lengthBytes);
}
