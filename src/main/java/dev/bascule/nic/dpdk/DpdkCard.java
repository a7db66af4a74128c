package dev.bascule.nic.dpdk;

import dev.bascule.device.DeviceException;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Ports of DPDK in the place of a card's. */
final class DpdkCard implements NicAdapter {
    private static final int SPARE_BUFFERS = 512;
    private static final int LEAST_DESCRIPTORS = 32;

    private final DpdkEal eal;
    private final List<String> names;
    private final List<DpdkNic> open = new ArrayList<>();

    DpdkCard(DpdkEal eal, List<String> names) {
        this.eal = eal;
        this.names = List.copyOf(names);
    }

    @Override
    public String name() {
        return "DPDK " + String.join(", ", names);
    }

    @Override
    public int ports() {
        return names.size();
    }

    @Override
    public Nic openPort(int port, NicOptions options) {
        int queues = Math.max(options.rxQueues(), options.txQueues());
        if (queues == 0) {
            throw new DeviceException("open port " + port, name(), "no queue wanted; a port has one at least",
                    "open it with a queue");
        }
        int descriptors = Math.max(LEAST_DESCRIPTORS, options.ringEntries());
        DpdkNic nic = eal.open(names.get(port), new DpdkOptions(queues, descriptors,
                queues * (2 * descriptors + SPARE_BUFFERS), Math.max(2048, options.maxFrameBytes()), queues > 1));
        open.add(nic);
        return nic;
    }

    @Override
    public void check() {
        open.forEach(DpdkNic::check);
    }

    @Override
    public OptionalLong clockNanos() {
        return OptionalLong.empty();
    }

    @Override
    public void close() {
        eal.close();
    }
}
