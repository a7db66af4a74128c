package dev.bascule.app;

import dev.bascule.nic.PacketHeaders;
import dev.bascule.nic.PacketProcessor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Maglev's load balancer: a packet goes to the back end of its connection, which is remembered in a cache and otherwise
 * found in the {@link MaglevTable}. The destination address is rewritten and the checksums are kept right; what is
 * neither TCP nor UDP over IPv4, and a later fragment, is dropped. Source: Eisenbud et al., NSDI'16.
 */
public final class Maglev implements PacketProcessor {
    /** The broadcast address, which no back end has. */
    private static final int FREE = -1;

    private final PacketHeaders headers = new PacketHeaders();
    private final int[] cachedHash;
    private final int[] cachedAddress;
    private final int mask;
    private MaglevTable table;
    private int[] addresses;
    private long[] connections;
    private long cached;
    private long looked;
    private long dropped;

    /**
     * @param addresses IPv4 address of each back end of the table
     * @param connections entries of the connection cache, a power of two; an entry is reused when two flows meet
     */
    public Maglev(MaglevTable table, int[] addresses, int connections) {
        if (connections < 1 || Integer.bitCount(connections) != 1) {
            throw new IllegalArgumentException("maglev: " + connections + " connections; it must be a power of two");
        }
        this.table = table;
        this.addresses = addresses.clone();
        this.connections = new long[addresses.length];
        cachedHash = new int[connections];
        cachedAddress = new int[connections];
        Arrays.fill(cachedAddress, FREE);
        mask = connections - 1;
    }

    /**
     * Other back ends from now on. A connection in the cache stays with its back end if that is still among them, whatever
     * the new table says; the others are found anew. Thread rule: the thread of {@link #process}.
     */
    public void backends(MaglevTable newTable, int[] newAddresses) {
        table = newTable;
        addresses = newAddresses.clone();
        connections = new long[addresses.length];
        Set<Integer> there = Arrays.stream(addresses).boxed().collect(Collectors.toSet());
        for (int i = 0; i < cachedAddress.length; i++) {
            if (!there.contains(cachedAddress[i])) {
                cachedAddress[i] = FREE;
            }
        }
    }

    @Override
    public int process(MemorySegment memory, long offset, int lengthBytes) {
        if (!headers.read(memory, offset, lengthBytes) || headers.isIpv6()) {
            dropped++;
            return 0;
        }
        int hash = headers.flowHash();
        int slot = hash & mask;
        int address = cachedAddress[slot];
        if (address != FREE && cachedHash[slot] == hash) {
            cached++;
        } else {
            int backend = table.backend(hash);
            address = addresses[backend];
            connections[backend]++;
            cachedHash[slot] = hash;
            cachedAddress[slot] = address;
            looked++;
        }
        rewrite(memory, offset + headers.network(), offset + headers.transport(), address);
        return lengthBytes;
    }

    private void rewrite(MemorySegment memory, long network, long transport, int address) {
        int before = Headers.i32(memory, network + 16);
        Headers.putI32(memory, network + 16, address);
        update(memory, network + 10, before, address);
        if (headers.protocol() == PacketHeaders.TCP) {
            update(memory, transport + 16, before, address);
        } else if (Headers.u16(memory, transport + 6) != 0) {
            update(memory, transport + 6, before, address);
            if (Headers.u16(memory, transport + 6) == 0) { // which would say that there is none (RFC 768)
                Headers.putU16(memory, transport + 6, 0xFFFF);
            }
        }
    }

    private static void update(MemorySegment memory, long at, int before, int after) {
        Headers.putU16(memory, at, Headers.updated(Headers.u16(memory, at), before, after));
    }

    /** Packets whose connection was in the cache. */
    public long cached() {
        return cached;
    }

    /** Packets whose back end came from the table. */
    public long looked() {
        return looked;
    }

    /** Connections that the table gave to each back end, in their order, since these back ends were set. */
    public long[] connections() {
        return connections.clone();
    }

    /** Packets that were neither TCP nor UDP over IPv4, or later fragments. */
    public long dropped() {
        return dropped;
    }
}
