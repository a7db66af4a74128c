package dev.bascule.nic.cndm;

import static dev.bascule.nic.cndm.CndmRegisters.*;

import dev.bascule.device.DeviceBacking;
import java.util.LinkedHashMap;
import java.util.Map;

/** Everything that a cndm card shows. It is asked by commands: of what can be written, only its mailbox is. */
public final class CndmDump {
    private static final String[] KINDS = { "event", "completion", "send", "receive" };
    private static final int TX_SELECTION = 0x8010;
    private static final int RX_SELECTION = 0x8020;
    private static final double FRACTION = 1L << 32;

    private final CndmCommands commands;
    private final boolean all;
    private final Map<String, Map<String, String>> sections = new LinkedHashMap<>();

    private CndmDump(DeviceBacking backing, boolean all) {
        commands = new CndmCommands(backing);
        this.all = all;
    }

    /**
     * Asks a card, which may be in use by this program only.
     *
     * @param all also queues that are not enabled
     * @return titles with their values, in order
     */
    public static Map<String, Map<String, String>> of(DeviceBacking backing, boolean all) {
        CndmDump dump = new CndmDump(backing, all);
        int ports = dump.design();
        dump.clock();
        for (int port = 0; port < ports; port++) {
            dump.port(port);
        }
        return dump.sections;
    }

    private int design() {
        int[] words = page(0);
        Map<String, String> values = section("design");
        String[] names = { "FPGA id", "firmware id", "firmware version", "board id", "board version", "build date",
                "git hash", "release info" };
        for (int i = 0; i < names.length; i++) {
            values.put(names[i], hex(words[8 + i]));
        }
        values.put("profile", words[9] == FIRMWARE_MICRO ? "micro" : words[9] == FIRMWARE_LITE ? "lite" : "unknown");
        values.put("command version", hex(words[3]));
        values.put("ports", Integer.toString(words[5] & 0xFF));
        int[] rings = page(2);
        for (int kind = 0; kind < KINDS.length; kind++) {
            values.put(KINDS[kind] + " queues",
                    (1 << (rings[8 + kind] & 0x1F)) + " of up to " + (1 << (rings[8 + kind] >>> 8 & 0x1F))
                            + " entries");
        }
        return words[5] & 0xFF;
    }

    private int[] page(int number) {
        int[] words = CndmCommands.words(READ_CONFIG);
        words[2] = number;
        return commands.run("read the configuration", words);
    }

    private void clock() {
        int[] answer = commands.ask("read the clock", CndmCommands.words(CLOCK_ACCESS));
        Map<String, String> values = section("clock");
        if (CndmCommands.status(answer) != 0) {
            values.put("there", "no");
            return;
        }
        values.put("seconds", Long.toString((answer[5] & 0xFFFFL) << 32 | answer[4] & 0xFFFFFFFFL));
        values.put("nanoseconds", Integer.toString(answer[3]));
        values.put("nominal period", period(answer[11], answer[10]));
        values.put("period", period(answer[13], answer[12]));
    }

    private static String period(int nanos, int fraction) {
        return (nanos + Integer.toUnsignedLong(fraction) / FRACTION) + " ns";
    }

    private void port(int port) {
        Map<String, String> values = section("port " + port);
        values.put("sends from", Integer.toString(commands.inner(PORT_STRIDE * (1 + port) + TX_SELECTION)));
        values.put("receives to", Integer.toString(commands.inner(PORT_STRIDE * (1 + port) + RX_SELECTION)));
        for (int pool : new int[] { COMPLETION_QUEUE, SEND_QUEUE }) {
            for (int queue = 0; queue < QUEUES; queue++) {
                int state = commands.state(pool, port, queue, 0);
                if (all || (state & 1) != 0) {
                    queue(port, pool, queue, state);
                }
            }
        }
    }

    private void queue(int port, int pool, int queue, int state) {
        boolean works = pool == SEND_QUEUE;
        boolean enabled = (state & 1) != 0;
        int kind = state >>> 20 & 7;
        String what = enabled && kind < KINDS.length && works == kind >= SEND_QUEUE
                ? KINDS[kind]
                : works ? "work" : "notifying";
        Map<String, String> values = section("port " + port + " " + what + " queue " + queue);
        int bound = commands.state(pool, port, queue, 1);
        values.put("enabled", enabled ? "yes" : "no");
        values.put("entries", Integer.toString(1 << (state >>> 16 & 0xF)));
        if (!works) {
            values.put("armed", (state & 2) != 0 ? "yes" : "no");
        }
        values.put("bound to", (bound < 0 ? "interrupt " : "queue ") + (bound & QUEUES - 1));
        values.put("producer", Integer.toString(commands.state(pool, port, queue, PRODUCER >> 2)));
        values.put("consumer", Integer.toString(commands.state(pool, port, queue, CONSUMER >> 2)));
        values.put("address", "0x%x".formatted((long) commands.state(pool, port, queue, 7) << 32
                | commands.state(pool, port, queue, 6) & 0xFFFFFFFFL));
    }

    private Map<String, String> section(String title) {
        return sections.computeIfAbsent(title, key -> new LinkedHashMap<>());
    }

    private static String hex(int word) {
        return "0x%08x".formatted(word);
    }
}
