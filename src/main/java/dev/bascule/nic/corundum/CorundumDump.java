package dev.bascule.nic.corundum;

import static dev.bascule.nic.corundum.MqnicRegisters.*;

import dev.bascule.device.DeviceBacking;
import dev.bascule.device.Registers;
import dev.bascule.nic.MacAddress;
import dev.bascule.ring.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * Everything a Corundum card shows: its register blocks, queues, schedulers, clock and counters. Reads only, and nothing
 * whose reading changes the card but the clock's snapshot, and the window to an Alveo's management controller.
 */
public final class CorundumDump {
    private static final Map<Integer, String> NAMES = Map.ofEntries(Map.entry(TYPE_FIRMWARE_ID, "firmware ID"),
            Map.entry(TYPE_FILLER, "filler"), Map.entry(TYPE_INTERFACES, "interfaces"),
            Map.entry(TYPE_INTERFACE_CONTROL, "interface control"), Map.entry(TYPE_PORT, "port"),
            Map.entry(TYPE_PORT_CONTROL, "port control"), Map.entry(TYPE_SCHEDULER_BLOCK, "scheduler block"),
            Map.entry(TYPE_APPLICATION, "application"), Map.entry(TYPE_STATISTICS, "statistics"),
            Map.entry(TYPE_INTERRUPT_CONFIG, "interrupt config"), Map.entry(TYPE_CLOCK_INFO, "clock info"),
            Map.entry(TYPE_EVENT_QUEUES, "event queues"), Map.entry(TYPE_COMPLETION_QUEUES, "completion queues"),
            Map.entry(TYPE_TX_QUEUES, "TX queues"), Map.entry(TYPE_RX_QUEUES, "RX queues"),
            Map.entry(TYPE_SCHEDULER, "scheduler"), Map.entry(TYPE_TDMA_CONTROLLER, "TDMA controller"),
            Map.entry(TYPE_TDMA_TIMER, "TDMA timer"), Map.entry(TYPE_PHC, "PHC"),
            Map.entry(TYPE_PERIODIC_OUTPUT, "periodic output"), Map.entry(TYPE_RX_QUEUE_MAP, "RX queue map"),
            Map.entry(TYPE_SPI_FLASH, "SPI flash"), Map.entry(TYPE_BPI_FLASH, "BPI flash"),
            Map.entry(TYPE_ALVEO_BMC, "Alveo management controller"));
    private static final int SHOWN_WORDS = 16;

    private final Registers bar;
    private final DeviceMap map;
    private final boolean idleToo;
    /** Of the blocks of all lists: what lies from one on is not of the block before. */
    private final NavigableSet<Long> starts = new TreeSet<>();
    private final List<Section> sections = new ArrayList<>();

    /**
     * A titled group of values.
     *
     * @param title what it is about
     * @param values in the order of the registers
     */
    public record Section(String title, Map<String, String> values) {}

    /** The board's, which it is asked for through its management controller. */
    private void addresses() {
        List<MacAddress> addresses = BoardAddresses.read(bar, map.blocks());
        Map<String, String> values = new LinkedHashMap<>();
        for (int port = 0; port < addresses.size(); port++) {
            values.put("port " + port, addresses.get(port).toString());
        }
        if (!values.isEmpty()) {
            sections.add(new Section("Ethernet addresses of the board", values));
        }
    }

    private CorundumDump(DeviceBacking backing, boolean idleToo) {
        bar = backing.registers(0);
        map = DeviceMap.read(bar, backing.info());
        this.idleToo = idleToo;
        map.blocks().all().forEach(block -> starts.add(block.offset()));
        map.interfaces().forEach(one -> blocks(one).forEach(block -> starts.add(block.offset())));
    }

    /**
     * Reads a card.
     *
     * @param idleToo whether queues that were never set up are shown as well; a large design has tens of thousands
     */
    public static List<Section> of(DeviceBacking backing, boolean idleToo) {
        CorundumDump dump = new CorundumDump(backing, idleToo);
        dump.map.blocks().all().forEach(block -> dump.block("device", block));
        dump.map.interfaces().forEach(dump::showInterface);
        dump.addresses();
        dump.clock();
        dump.counters();
        return List.copyOf(dump.sections);
    }

    /** Those of an interface, each before those of its own list. */
    private List<RegisterBlock> blocks(InterfaceMap one) {
        List<RegisterBlock> all = new ArrayList<>();
        for (RegisterBlock block : one.blocks().all()) {
            all.add(block);
            if (block.type() == TYPE_PORT || block.type() == TYPE_SCHEDULER_BLOCK) {
                all.addAll(InterfaceMap.sublist(bar, "interface " + one.number(), block, one.base(),
                        bar.sizeBytes() - one.base()).all());
            }
        }
        return all;
    }

    private void showInterface(InterfaceMap one) {
        String prefix = "interface " + one.number();
        blocks(one).forEach(block -> block(prefix, block));
        records(prefix + " EQ", one.eventQueues());
        records(prefix + " CQ", one.completionQueues());
        work(prefix + " TXQ", one.txQueues());
        work(prefix + " RXQ", one.rxQueues());
        for (int i = 0; i < one.schedulers().size(); i++) {
            words(prefix + " scheduler " + i, QueueRange.read(bar, prefix, "scheduler queues", one.schedulers().get(i),
                    one.base(), 4));
        }
    }

    private void block(String prefix, RegisterBlock block) {
        Map<String, String> values = new LinkedHashMap<>();
        values.put("offset", hex(block.offset()));
        values.put("type", hex(block.type() & 0xFFFFFFFFL));
        values.put("version", hex(block.version() & 0xFFFFFFFFL));
        long next = bar.read32(block.offset() + BLOCK_NEXT) & 0xFFFFFFFFL;
        values.put("next", hex(next));
        if (block.type() != TYPE_PHC) { // reading its snapshot registers would take one
            Long following = starts.higher(block.offset()); // of any list: sublists lie inside of the space to "next"
            long words = following == null
                    ? SHOWN_WORDS
                    : Math.min(SHOWN_WORDS, (following - block.offset()) / 4);
            for (int i = BLOCK_FIRST_FIELD / 4; i < words; i++) {
                values.put("+0x%02x".formatted(4 * i), word(block.offset() + 4L * i));
            }
        }
        sections.add(new Section(prefix + " block: " + NAMES.getOrDefault(block.type(), "unknown"), values));
    }

    private void records(String title, QueueRange queues) {
        for (int i = 0; i < queues.count(); i++) {
            long at = queues.at(i);
            int status = bar.read32(at + COMPLETION_QUEUE_STATUS);
            int pointers = bar.read32(at + COMPLETION_QUEUE_POINTERS);
            if (idleToo || (status | pointers) != 0) {
                Map<String, String> values = new LinkedHashMap<>();
                values.put("base", base(at));
                values.put("target", Integer.toString(status & 0xFFFF));
                values.put("entries", Integer.toString(1 << (status >>> 28)));
                values.put("enabled", flag(status, COMPLETION_QUEUE_STATUS_ENABLE));
                values.put("armed", flag(status, COMPLETION_QUEUE_STATUS_ARMED));
                values.put("active", flag(status, COMPLETION_QUEUE_STATUS_ACTIVE));
                pointers(values, pointers);
                sections.add(new Section(title + " " + i, values));
            }
        }
    }

    private void work(String title, QueueRange queues) {
        for (int i = 0; i < queues.count(); i++) {
            long at = queues.at(i);
            int status = bar.read32(at + WORK_QUEUE_STATUS);
            int config = bar.read32(at + WORK_QUEUE_CONFIG);
            int pointers = bar.read32(at + WORK_QUEUE_POINTERS);
            if (idleToo || (status | config | pointers) != 0) {
                Map<String, String> values = new LinkedHashMap<>();
                values.put("base", base(at));
                values.put("CQ", Integer.toString(config & 0xFFFFFF));
                values.put("entries", Integer.toString(1 << (config >>> 24 & 0xF)));
                values.put("block", Integer.toString(1 << (config >>> 28)));
                values.put("enabled", flag(status, WORK_QUEUE_STATUS_ENABLE));
                values.put("active", flag(status, WORK_QUEUE_STATUS_ACTIVE));
                pointers(values, pointers);
                sections.add(new Section(title + " " + i, values));
            }
        }
    }

    private void words(String title, QueueRange words) {
        Map<String, String> values = new LinkedHashMap<>();
        for (int i = 0; i < words.count(); i++) {
            if (idleToo || bar.read32(words.at(i)) != 0) {
                values.put("queue " + i, word(words.at(i)));
            }
        }
        if (!values.isEmpty()) {
            sections.add(new Section(title, values));
        }
    }

    private void clock() {
        RegisterBlock phc = map.blocks().find(TYPE_PHC, VERSION_PHC);
        if (phc != null) {
            CorundumClock clock = new CorundumClock(bar, phc.offset(), map.device(), Clock.system());
            Map<String, String> values = new LinkedHashMap<>();
            long nanos = clock.nanos();
            values.put("time", "%d.%09d s".formatted(nanos / 1_000_000_000L, nanos % 1_000_000_000L));
            values.put("status", word(phc.offset() + PHC_STATUS));
            values.put("nominal period", period(phc.offset(), PHC_NOMINAL_PERIOD_NANOS, PHC_NOMINAL_PERIOD_FRACTION));
            values.put("period", period(phc.offset(), PHC_PERIOD_NANOS, PHC_PERIOD_FRACTION));
            sections.add(new Section("PHC", values));
        }
    }

    private String period(long block, int nanos, int fraction) {
        return "%.9f ns".formatted((bar.read32(block + nanos) & 0xFFFFFFFFL)
                + (bar.read32(block + fraction) & 0xFFFFFFFFL) / 4294967296.0);
    }

    private void counters() {
        RegisterBlock block = map.blocks().find(TYPE_STATISTICS, VERSION_STATISTICS);
        if (block != null) {
            Map<String, Long> counters = new java.util.TreeMap<>();
            CardCounters.read(bar, QueueRange.read(bar, map.device(), "statistics", block, 0, Long.BYTES), counters);
            Map<String, String> values = new LinkedHashMap<>();
            counters.forEach((name, value) -> values.put(name, Long.toString(value)));
            sections.add(new Section("statistics", values));
        }
    }

    private String base(long at) {
        return hex(bar.read32(at) & 0xFFFFF000L | (long) bar.read32(at + 4) << 32);
    }

    private static void pointers(Map<String, String> values, int pointers) {
        values.put("producer", Integer.toString(pointers & 0xFFFF));
        values.put("consumer", Integer.toString(pointers >>> 16));
    }

    private static String flag(int status, int bit) {
        return (status & bit) != 0 ? "yes" : "no";
    }

    private String word(long at) {
        return "0x%08x".formatted(bar.read32(at));
    }

    private static String hex(long value) {
        return "0x" + Long.toHexString(value);
    }
}
