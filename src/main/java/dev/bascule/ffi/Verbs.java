package dev.bascule.ffi;

import java.lang.foreign.MemorySegment;

/**
 * Parts of a reliable connection (RC) of an RDMA device, as verbs name them: {@link LibVerbs} is libibverbs. Handles
 * come from the library and belong to the caller, who gives them back in reverse order.
 * <p>
 * Thread rule: any thread, as libibverbs; a destroyed handle must not be in use. Errors: a {@link NativeException} from
 * what sets up; the data path returns errno or a count.
 */
public interface Verbs {
    /**
     * Abilities of a device.
     *
     * @param transport {@link VerbsCodes#IBV_TRANSPORT_IB} or another
     * @param mostRequests work requests of a queue pair
     * @param mostCompletions entries of a completion queue
     * @param mostReads RDMA READs of a queue pair under way
     */
    record DeviceInfo(int transport, int mostRequests, int mostCompletions, int mostReads) {}

    /**
     * A port now.
     *
     * @param state {@link VerbsCodes#IBV_PORT_ACTIVE} or another
     * @param mtu code of the active path MTU
     * @param lid address in an InfiniBand subnet; 0 on Ethernet
     * @param linkLayer {@link VerbsCodes#IBV_LINK_LAYER_ETHERNET} or another
     */
    record PortInfo(int state, int mtu, int lid, int linkLayer) {}

    /** Registered memory with its keys for this side and for the peer. */
    record Region(long handle, int localKey, int remoteKey) {}

    /** A queue pair: its number, and how many bytes a request may carry itself. */
    record QueuePair(long handle, int number, int inlineBytes) {}

    /**
     * The way to a peer's queue pair.
     *
     * @param number of the peer's queue pair
     * @param peerPacket number of the peer's first packet
     * @param ownPacket number of the own first packet
     * @param gid 16 bytes
     * @param lid 0 on Ethernet
     * @param mtu code of the path MTU
     * @param port own port
     * @param gidIndex own address, as an index of the port's table
     * @param trafficClass DSCP and ECN of the packets
     * @param reads RDMA READs under way in one direction
     */
    record Route(int number, int peerPacket, int ownPacket, byte[] gid, int lid, int mtu, int port, int gidIndex,
            int trafficClass, int reads) {
        /** Copies the address. */
        public Route {
            gid = gid.clone();
        }
    }

    /** Opens a device by its kernel name, such as {@code mlx5_0}; returns its context. */
    long openDevice(String name);

    /** Closes a context. */
    void closeDevice(long context);

    /** Abilities of a device. */
    DeviceInfo device(long context);

    /** State of a port, counted from 1. */
    PortInfo port(long context, int port);

    /** Makes a protection domain. */
    long allocateDomain(long context);

    /** Gives it back. */
    void freeDomain(long domain);

    /**
     * Pins memory and lets the device reach it.
     *
     * @param memory stays mapped until {@link #deregister}
     * @param access {@code IBV_ACCESS_...}
     */
    Region register(long domain, MemorySegment memory, int access);

    /** Unpins. */
    void deregister(Region region);

    /** Makes a channel of completion events. */
    long createChannel(long context);

    /** Gives it back. */
    void destroyChannel(long channel);

    /** Makes a completion queue; {@code channel} 0: without events. */
    long createCompletionQueue(long context, int entries, long channel);

    /** Gives it back. */
    void destroyCompletionQueue(long queue);

    /** Makes a queue pair for a reliable connection, whose requests complete only where they say so. */
    QueuePair createQueuePair(long domain, long sendCompletions, long receiveCompletions, int sends, int receives,
            int inlineBytes);

    /** Gives it back: what the peer sends from now on does nothing here. */
    void destroyQueuePair(QueuePair pair);

    /** Makes it ready for receives, with the peer's rights. */
    void initialise(QueuePair pair, int port, int access);

    /** Connects: the peer's requests are carried out from now on, and own ones may be posted. */
    void connect(QueuePair pair, Route route);

    /** Posts a chain of requests, see {@link SendRequests}; 0 or errno. */
    int postSend(QueuePair pair, long request);

    /** Posts a receive for a WRITE with immediate data, see {@link SendRequests#receive}; 0 or errno. */
    int postReceive(QueuePair pair, long request);

    /** Takes completions into {@link Completions}; how many, or negative. */
    int poll(long queue, int most, long completions);

    /** Asks for an event when the next completion comes; 0 or errno. */
    int arm(long queue);

    /**
     * Waits for an event of a channel and takes it.
     *
     * @return false after the timeout
     */
    boolean awaitEvent(long channel, long timeoutMillis);
}
