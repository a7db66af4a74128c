package dev.bascule.study.enso;

import java.util.List;

/**
 * A published figure, never measured here.
 *
 * @param what it says
 * @param value with its unit
 * @param source where it stands
 */
record Published(String what, String value, String source) {
    private static final String PAPER = "Ensō, OSDI'23";
    private static final String DATA = "Ensō's evaluation data";

    static final Published METADATA_PACKETS = new Published("read-direction metadata, E810 with DPDK", "39 %", PAPER);
    static final Published PAYLOAD_READ = new Published("the same without link headers", "38.9 %", DATA);
    static final Published PAYLOAD_WRITE = new Published("the same, write direction", "31.0 %", DATA);
    static final Published METADATA_ENSO = new Published("metadata, Ensō", "about 1 %", PAPER);
    static final Published LIMIT_64 = new Published("PCIe limit with 64-byte transfers", "85 Gbit/s", PAPER);
    static final Published RATE_PACKETS = new Published("most 64-byte packets, E810 with DPDK (2 cores)", "88 Mpps",
            PAPER);
    static final Published ECHO = new Published("echo at 64 bytes, one core, Ensō / E810", "148.8 / 59 Mpps", PAPER);

    static final Published L1_MISSES = new Published("echo, share of loads that miss L1, Ensō / E810", "0.2 % / 6 %",
            PAPER);
    static final Published L2_MISSES = new Published("echo, share of those that miss L2, Ensō / E810", "9 % / 55 %",
            PAPER);

    /** All, in the order of the table. */
    static final List<Published> ALL = List.of(METADATA_PACKETS, PAYLOAD_READ, PAYLOAD_WRITE, METADATA_ENSO, LIMIT_64,
            RATE_PACKETS, ECHO, L1_MISSES,
            L2_MISSES);

    /** Published ratio of an application's throughput, Ensō to E810 with DPDK; a dash where there is none. */
    static String applicationRatio(String application) {
        return switch (application) {
            case "echo" -> "2.5x";
            case "copy" -> "not comparable: 1.28x is pipes with a copy against packets without";
            case "maglev" -> "6.0x";
            case "telemetry" -> "3.6x";
            case "key-value" -> "1.31x";
            case "log monitor" -> "up to 1.88x";
            default -> "\u2013";
        };
    }
}
