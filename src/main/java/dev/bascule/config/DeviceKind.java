package dev.bascule.config;

import java.util.Locale;

/** Kind of device that a configuration describes. */
public enum DeviceKind {
    /** The software SmartNIC: region shared between host side and NIC side of one machine. */
    LOOPBACK,
    /** Two sides that reach each other by RDMA verbs: a host and the cores of its NIC, or two machines. */
    RDMA,
    /** A PCI device: what it is, which driver fits, and where that driver has been seen to work. */
    PCI;

    /** The word used in a file. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
