package dev.bascule.model.corundum.replay;

import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumDevice;
import dev.bascule.model.corundum.CorundumProfile;
import dev.bascule.model.replay.Difference;
import dev.bascule.model.replay.VectorFormatException;
import dev.bascule.model.replay.VectorLine;
import dev.bascule.nic.corundum.MqnicRegisters;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Makes the configuration a file asks for, and checks that the model then looks as the file says. */
final class CorundumVectorConfig {
    private static final int MIN_INTERRUPT_BITS = 5;

    private CorundumVectorConfig() {}

    static CorundumConfig of(VectorLine line) {
        int vectors = number(line, "irq_vectors");
        try {
            return CorundumConfig.builder().profile(profile(line)).interfaces(number(line, "interfaces"))
                    .ports(number(line, "ports_per_if")).schedulers(number(line, "sched_per_if"))
                    .eventQueues(number(line, "eq")).completionQueues(number(line, "cq")).txQueues(number(line, "txq"))
                    .rxQueues(number(line, "rxq")).features(number(line, "features"))
                    .maxTxBytes(number(line, "max_tx_size")).maxRxBytes(number(line, "max_rx_size"))
                    .txFifoBytes(number(line, "tx_fifo_bytes")).rxFifoBytes(number(line, "rx_fifo_bytes"))
                    .dmaAddressBits(number(line, "dma_addr_bits"))
                    .interruptIndexBits(
                            Math.max(MIN_INTERRUPT_BITS, 32 - Integer.numberOfLeadingZeros(Math.max(1, vectors - 1))))
                    .msix(line.flag("msix")).statistics(line.flag("stats"))
                    .periodicOutputs(line.flag("perout") ? 1 : 0).build();
        } catch (IllegalArgumentException e) {
            throw new VectorFormatException(line.number(), String.valueOf(e.getMessage()));
        }
    }

    private static int number(VectorLine line, String field) {
        return line.number(field, 0, Integer.MAX_VALUE);
    }

    private static CorundumProfile profile(VectorLine line) {
        return switch (line.text("profile")) {
            case "May-24" -> CorundumProfile.MAY_2024;
            case "Dec-23" -> CorundumProfile.DECEMBER_2023;
            default -> throw line.wrong("profile", "is '" + line.text("profile") + "'; known are May-24 and Dec-23");
        };
    }

    /** The first thing the file says about the layout that the model has elsewhere. */
    static Optional<Difference> check(VectorLine line, CorundumDevice device) {
        long csr = line.number("csr_offset");
        List<Optional<Difference>> checks = List.of(word(line, device, "interface_stride", 0x64),
                word(line, device, "csr_offset", 0x68), word(line, device, "eq_offset", csr + 0x4C),
                word(line, device, "cq_offset", csr + 0x6C), word(line, device, "txq_offset", csr + 0x8C),
                word(line, device, "rxq_offset", csr + 0xAC), word(line, device, "indir_offset", csr + 0x110),
                line.flag("stats") ? word(line, device, "stats_offset", 0x8C) : Optional.<Difference>empty(),
                blocks(line, device, "port_block", offsets(line, "port_block"), MqnicRegisters.TYPE_PORT_CONTROL),
                blocks(line, device, "sched_block", offsets(line, "sched_block"), MqnicRegisters.TYPE_SCHEDULER),
                blocks(line, device, "queue_map_block", List.of(line.number("queue_map_block")),
                        MqnicRegisters.TYPE_RX_QUEUE_MAP));
        return checks.stream().flatMap(Optional::stream).findFirst();
    }

    /** An array of numbers. */
    private static List<Long> offsets(VectorLine line, String field) {
        if (!(line.get(field) instanceof List<?> items)) {
            throw line.wrong(field, "is not an array");
        }
        List<Long> numbers = new ArrayList<>();
        for (Object item : items) {
            try {
                numbers.add(Long.decode(String.valueOf(item)));
            } catch (NumberFormatException e) {
                throw line.wrong(field, "has " + item + ", which is not a number");
            }
        }
        return numbers;
    }

    private static Optional<Difference> word(VectorLine line, CorundumDevice device, String key, long at) {
        long found = device.read(at, 4);
        return found == line.number(key)
                ? Optional.empty()
                : Optional.of(new Difference(line.number(),
                        "%s: the file has 0x%08x, the model 0x%08x".formatted(key, line.number(key), found)));
    }

    private static Optional<Difference> blocks(VectorLine line, CorundumDevice device, String key, List<Long> offsets,
            int type) {
        for (long at : offsets) {
            long found = device.read(at, 4);
            if (found != type) {
                return Optional.of(new Difference(line.number(),
                        "%s: the file has it at 0x%08x, where the model has type 0x%x".formatted(key, at, found)));
            }
        }
        return Optional.empty();
    }
}
