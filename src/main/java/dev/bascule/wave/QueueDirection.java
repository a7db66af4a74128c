package dev.bascule.wave;

/** Direction of a queue. */
public enum QueueDirection {
    /** From the host to the NIC: state and events. */
    TO_NIC,
    /** From the NIC to the host: decisions. */
    TO_HOST
}
