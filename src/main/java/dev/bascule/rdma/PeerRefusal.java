package dev.bascule.rdma;

import dev.bascule.device.DeviceException;

/** The other side was reached and does not want this one, in its own words. */
public final class PeerRefusal extends DeviceException {
    private static final long serialVersionUID = 1L;

    PeerRefusal(String peer, String why) {
        super("connect RDMA link", peer, "it refuses: " + why, "mend what it says");
    }
}
