package dev.bascule.rdma;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Verbs;
import dev.bascule.ffi.VerbsCodes;

/** An opened device with its protection domain, at one address. Thread rule: any thread. */
final class RdmaDevice implements AutoCloseable {
    private final Verbs verbs;
    private final RdmaAddress address;
    private final long context;
    private final long domain;
    private final Verbs.DeviceInfo info;
    private final Verbs.PortInfo port;

    private RdmaDevice(Verbs verbs, RdmaAddress address, long context) {
        this.verbs = verbs;
        this.address = address;
        this.context = context;
        info = verbs.device(context);
        port = verbs.port(context, address.port().port());
        if (info.transport() != VerbsCodes.IBV_TRANSPORT_IB) {
            throw new DeviceException("use RDMA device", address.toString(),
                    "its transport is " + (info.transport() == VerbsCodes.IBV_TRANSPORT_IWARP
                            ? "iWARP, whose writes are placed in no order that a reader may rely on"
                            : "neither InfiniBand nor RoCE"),
                    "use one of RoCE version 2 or InfiniBand");
        }
        domain = verbs.allocateDomain(context);
    }

    static RdmaDevice open(Verbs verbs, RdmaAddress address) {
        long context = verbs.openDevice(address.port().device());
        try {
            return new RdmaDevice(verbs, address, context);
        } catch (RuntimeException e) {
            verbs.closeDevice(context);
            throw e;
        }
    }

    Verbs verbs() {
        return verbs;
    }

    RdmaAddress address() {
        return address;
    }

    long context() {
        return context;
    }

    long domain() {
        return domain;
    }

    Verbs.DeviceInfo info() {
        return info;
    }

    Verbs.PortInfo port() {
        return port;
    }

    @Override
    public void close() {
        verbs.freeDomain(domain);
        verbs.closeDevice(context);
    }
}
