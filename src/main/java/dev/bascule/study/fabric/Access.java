package dev.bascule.study.fabric;

import java.util.HashSet;
import java.util.Set;

/**
 * Rights of who may write to whom. Streams go where their graph sends them unless that is denied; a direct access to
 * another device is denied unless it is allowed; the host reaches every device, and a device those parts of host memory
 * it was granted.
 */
public final class Access {
    private record Pair(int from, int to) {}

    private record Grant(int port, long base, long sizeBytes) {}

    private final Set<Pair> denied = new HashSet<>();
    private final Set<Pair> direct = new HashSet<>();
    private final Set<Grant> grants = new HashSet<>();

    /** No stream may go from one device to the other from now on, nor may a direct access. */
    public Access deny(Port from, Port to) {
        denied.add(new Pair(from.number(), to.number()));
        return this;
    }

    /** The device may reach the registers of another one. */
    public Access allowDirect(Port from, Port to) {
        direct.add(new Pair(from.number(), to.number()));
        return this;
    }

    /** The device may reach this part of host memory. */
    public Access grant(Port port, long base, long sizeBytes) {
        grants.add(new Grant(port.number(), base, sizeBytes));
        return this;
    }

    boolean permitsStream(int from, int to) {
        return !denied.contains(new Pair(from, to));
    }

    boolean permits(Port from, Port to, long address, long lengthBytes) {
        Pair pair = new Pair(from.number(), to.number());
        if (denied.contains(pair)) {
            return false;
        }
        if (from.number() == 0 || to instanceof SwitchPort || from.number() == to.number()) {
            return true; // memory of the switch checks who writes where by itself
        }
        if (to.number() != 0) {
            return direct.contains(pair);
        }
        for (Grant grant : grants) {
            if (grant.port == from.number() && address >= grant.base
                    && address - grant.base <= grant.sizeBytes - lengthBytes) {
                return true;
            }
        }
        return false;
    }
}
