package dev.bascule.rdma;

import dev.bascule.device.DeviceException;

/** A port and one of its addresses. */
record RdmaAddress(RdmaPort port, RdmaGid gid) {
    void requireUsable() {
        if (port.isIwarp()) {
            throw new DeviceException("use RDMA device", port.toString(),
                    "it is iWARP, whose writes are placed in no order that a reader may rely on",
                    "use one of RoCE version 2 or InfiniBand");
        }
        if (!port.isActive()) {
            throw new DeviceException("use RDMA device", port.toString(), "its state is " + port.state(),
                    "look at cable and switch, or switch the interface on: rdma link; sudo ip link set NETDEV up");
        }
    }

    @Override
    public String toString() {
        return port + ", address " + gid + (gid.type().isEmpty() ? "" : " (" + gid.type() + ")");
    }
}
