package dev.bascule.nic.enso;

import dev.bascule.nic.Flow;
import java.util.HashMap;
import java.util.Map;

/**
 * The driver's copy of the device's flow table, for the device loses a flow silently when its four places are taken.
 * Places used before this driver opened the device are not known. The device removes nothing; a flow that is unbound
 * keeps its place. Not thread-safe.
 */
final class FlowPlaces {
    private static final int SUB_TABLES = 4;
    private static final int ENTRIES = 2048;
    private static final int BASE = 0xdeadbefb;

    private final Map<Integer, Key> taken = new HashMap<>();
    private final Map<Key, Integer> places = new HashMap<>();

    /** The fields the device compares; it ignores the protocol. */
    private record Key(int destinationIp, int destinationPort, int sourceIp, int sourcePort) {
        static Key of(Flow flow) {
            return new Key(flow.destinationIp(), flow.destinationPort(), flow.sourceIp(), flow.sourcePort());
        }

        /** Final mix of Bob Jenkins' lookup3. */
        int hash(int seed) {
            int a = BASE + seed + (destinationIp << 16 | destinationPort);
            int b = BASE + seed + (sourcePort << 16 | destinationIp >>> 16);
            int c = BASE + seed + sourceIp;
            c = (c ^ b) - Integer.rotateLeft(b, 14);
            a = (a ^ c) - Integer.rotateLeft(c, 11);
            b = (b ^ a) - Integer.rotateLeft(a, 25);
            c = (c ^ b) - Integer.rotateLeft(b, 16);
            a = (a ^ c) - Integer.rotateLeft(c, 4);
            b = (b ^ a) - Integer.rotateLeft(a, 14);
            return (c ^ b) - Integer.rotateLeft(b, 24);
        }
    }

    /** Takes a place, or finds the one the flow has; false when the device would lose it. */
    boolean take(Flow flow) {
        Key key = Key.of(flow);
        if (places.containsKey(key)) {
            return true;
        }
        for (int i = 0; i < SUB_TABLES; i++) {
            int place = i * ENTRIES + (key.hash(i) & ENTRIES - 1);
            if (taken.putIfAbsent(place, key) == null) {
                places.put(key, place);
                return true;
            }
        }
        return false;
    }
}
