package dev.bascule.workload.lauberhorn;

import dev.bascule.rpc.Signature;

/** How a load's calls get to a server: as frames on the NIC's wire, or by a socket of the operating system. One thread. */
public interface RpcChannel extends AutoCloseable {
    /**
     * Sends an ONC RPC call.
     *
     * @param words decoded arguments of the signature
     * @return false if there was no room: to be sent again later
     */
    boolean call(int xid, int program, int version, int procedure, Signature signature, long[] words, int bytes);

    /** Passes on at most so many replies; returns how many came. */
    int poll(int budget);

    /** Calls and replies that it is known to have lost: none of them will be answered. */
    default long lost() {
        return 0;
    }

    /** Times that the server's machine said that nobody listens. */
    default long unreachable() {
        return 0;
    }

    @Override
    default void close() {}
}
