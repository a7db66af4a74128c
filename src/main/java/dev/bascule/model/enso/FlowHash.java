package dev.bascule.model.enso;

/** The device's flow hash: the final mix of Bob Jenkins' lookup3 over three words. */
final class FlowHash {
    private static final int BASE = 0xdeadbefb;

    private FlowHash() {}

    /** Hash of a flow; addresses and ports as numbers (192.168.0.0 is 0xC0A80000). The device uses seeds 0 to 3. */
    static int hash(int sourceIp, int sourcePort, int destinationIp, int destinationPort, int seed) {
        int a = BASE + seed + (destinationIp << 16 | destinationPort & 0xFFFF);
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
