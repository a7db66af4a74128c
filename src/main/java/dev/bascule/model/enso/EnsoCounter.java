package dev.bascule.model.enso;

/** Events that the model counts. Hardware shows its counters over JTAG only; these are ours, under stable names. */
public enum EnsoCounter {
    /** Register stores seen, whatever they hit. */
    MMIO_WRITES,
    /** Register loads seen. */
    MMIO_READS,
    /** Packets offered to a pipe. */
    RX_PACKETS,
    /** Packets dropped because the pipe had no room. */
    RX_DROPPED_FULL,
    /** Packets dropped because the pipe had no address. */
    RX_DROPPED_DISABLED,
    /** Packets lost because the RX engine has stopped and its queues are full. */
    RX_DROPPED_STOPPED,
    /** Frames dropped before steering because they are longer than 24 flits. */
    RX_DROPPED_JUMBO,
    /** Packets dropped because no flow matched and no fallback pipe is configured. */
    RX_DROPPED_NO_FLOW,
    /** Packets that matched no flow, with or without a fallback pipe. */
    RX_NO_FLOW,
    /** DMA writes of received data. */
    RX_BURSTS,
    /** Flits of received data written to host memory. */
    RX_FLITS,
    /** Flits received and not written: packets dropped, or no address set. */
    RX_FLITS_SWALLOWED,
    /** RX notifications written to host memory. */
    NOTIFICATIONS,
    /** Notifications that found the RX ring full or without address. */
    NOTIFICATIONS_LOST,
    /** Stores to a pipe's head register. */
    HEAD_UPDATES,
    /** Head updates forgotten because the update queue was full. */
    HEAD_UPDATES_IGNORED,
    /** Times the RX engine stopped for good; only a reset starts it again. */
    RX_ENGINE_STOPPED,
    /** Stores to a TX ring's tail register. */
    TX_TAIL_UPDATES,
    /** Tail updates that found nothing to read. */
    TX_EMPTY_TAILS,
    /** DMA reads of TX entries. */
    TX_ENTRY_READS,
    /** TX entries fetched. */
    TX_ENTRIES,
    /** Configuration entries among them. */
    TX_CONFIGS,
    /** DMA reads of data to send. */
    TX_DATA_READS,
    /** Bytes of data asked for. */
    TX_DATA_BYTES,
    /** Flits sent towards the wire. */
    TX_FLITS,
    /** Packets ended towards the wire. */
    TX_PACKETS,
    /** TX completions written to host memory. */
    TX_COMPLETIONS,
    /** Times the TX fetcher stopped for good because a tail outside the ring is never met. */
    TX_FETCH_STOPPED,
    /** Flows inserted or updated. */
    FLOWS_STORED,
    /** Flows lost because all four places were taken. */
    FLOWS_LOST,
    /** DMA accesses the host side refused (no such memory); reads then see zeros. */
    DMA_FAULTS
}
