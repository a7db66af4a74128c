package dev.bascule.vfiouser;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Device as a whole, as its server describes it.
 *
 * @param flags {@code DEVICE_*}
 * @param interruptKinds how many indices of interrupts it has
 */
record ServedInfo(int flags, int interruptKinds) {
    private static final int MOST_REGIONS = 64;

    /** Asks; anything but a PCI device is refused. */
    static ServedInfo ask(ClientConnection connection) {
        MemorySegment body = MemorySegment.ofArray(new byte[Protocol.INFO_BYTES]);
        Fields.put32(body, 0, Protocol.INFO_BYTES);
        String step = "ask for the device";
        Message reply = connection.request(step, Protocol.GET_INFO, body, MemorySegment.NULL, List.of());
        try {
            if (reply.bodyBytes < Protocol.INFO_BYTES) {
                throw connection.malformed(step, "the reply is too short");
            }
            int flags = reply.get32(4);
            int regions = reply.get32(8);
            if ((flags & Protocol.DEVICE_IS_PCI) == 0 || regions <= Protocol.CONFIG_REGION || regions > MOST_REGIONS
                    || reply.get32(12) < 0) {
                throw connection.malformed(step, "no PCI device, or one of " + regions + " regions");
            }
            return new ServedInfo(flags, reply.get32(12));
        } finally {
            connection.recycle(reply);
        }
    }
}
