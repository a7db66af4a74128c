package dev.bascule.app;

import dev.bascule.nic.MacAddress;
import dev.bascule.nic.PacketProcessor;
import java.util.Locale;

/** Modes of forwarding, by the names that DPDK's testpmd gives them: what is done with each frame that came in. */
public enum ForwardMode {
    /** As it came. */
    IO,
    /** From the station of the port that it leaves by, to that port's peer. */
    MAC,
    /** Stations change places. */
    MACSWAP,
    /** As {@link #MAC}, with the checksums of IPv4, UDP and TCP worked out anew. */
    CSUM,
    /** Pings and ARP requests are answered where they came from; nothing else is sent. */
    ICMPECHO,
    /** Nothing is sent. */
    RXONLY,
    /** As it came, after accesses to memory elsewhere. */
    NOISY;

    /**
     * Place and surroundings of a mode.
     *
     * @param own station of the port by which frames leave
     * @param peer where they go
     * @param noisyBytes memory that {@link #NOISY} works on
     * @param noisyAccesses words of it that are read and written for a frame
     */
    public record Place(MacAddress own, MacAddress peer, long noisyBytes, int noisyAccesses) {}

    /** The name that testpmd gives it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether what is sent goes back where it came from. */
    public boolean answers() {
        return this == ICMPECHO;
    }

    /** Whether each Ethernet frame goes on. */
    public boolean isWhole() {
        return this != ICMPECHO && this != RXONLY;
    }

    /** Processor of the mode, for one thread. */
    public PacketProcessor processor(Place place) {
        return switch (this) {
            case IO -> (memory, offset, lengthBytes) -> lengthBytes;
            case MAC -> (memory, offset, lengthBytes) -> Headers.putMacs(memory, offset, lengthBytes, place.peer,
                    place.own);
            case MACSWAP -> new L2Forward();
            case CSUM -> new ChecksumWriter(place.peer, place.own);
            case ICMPECHO -> new PingAnswer(place.own);
            case RXONLY -> (memory, offset, lengthBytes) -> 0;
            case NOISY -> new NoisyNeighbour(place.noisyBytes, place.noisyAccesses);
        };
    }
}
