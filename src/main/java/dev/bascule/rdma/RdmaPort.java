package dev.bascule.rdma;

import java.util.List;

/**
 * A port of an RDMA device, as the kernel lists it below {@code /sys/class/infiniband}.
 *
 * @param device kernel name, such as {@code mlx5_0}
 * @param port from 1 on
 * @param node kind of device: {@code CA} for InfiniBand and RoCE, {@code RNIC} for iWARP
 * @param state {@code ACTIVE} or another
 * @param linkLayer {@code Ethernet} or {@code InfiniBand}
 * @param gids addresses that are set
 * @param pciFolder name of the PCI device; empty for a software device
 */
public record RdmaPort(String device, int port, String node, String state, String linkLayer, List<RdmaGid> gids,
        String pciFolder) {
    /** Copies the list. */
    public RdmaPort {
        gids = List.copyOf(gids);
    }

    /** Whether it carries packets. */
    public boolean isActive() {
        return state.equals("ACTIVE");
    }

    /** Whether it is one of RDMA over TCP, which places data in no order that a reader may rely on. */
    public boolean isIwarp() {
        return node.equals("RNIC");
    }

    @Override
    public String toString() {
        return device + " port " + port;
    }
}
