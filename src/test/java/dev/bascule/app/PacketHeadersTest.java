package dev.bascule.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.bascule.model.wire.CaptureWriter;
import dev.bascule.nic.PacketHeaders;
import dev.bascule.nic.PacketProcessor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Headers as tshark reads them, over all kinds of frames; and whatever is in a frame, nothing outside of it is touched. */
class PacketHeadersTest {
    private static final List<String> FIELDS = List.of("frame.protocols", "ip.src", "ip.dst", "ipv6.src", "ipv6.dst",
            "udp.srcport", "udp.dstport", "tcp.srcport", "tcp.dstport", "udp.payload", "tcp.payload", "_ws.malformed",
            "udp.length");
    private static final List<String> BETWEEN = List.of("ipv6.hopopts", "ipv6.routing", "ipv6.fraghdr", "ipv6.dstopts",
            "ah");

    private final PacketHeaders headers = new PacketHeaders();

    @Test
    void thereAreAtLeastSixtyKinds() {
        assertThat(FrameKinds.all()).hasSizeGreaterThan(60);
    }

    @Test
    @Tag("captures")
    void tsharkReadsTheSame(@TempDir Path folder) throws Exception {
        assumeTrue(Tshark.missing().isEmpty(), () -> Tshark.missing().orElse(""));
        Map<String, byte[]> kinds = FrameKinds.all();
        Iterator<List<String>> lines = Tshark.fields(file(folder.resolve("kinds.pcap"), kinds.values()), FIELDS)
                .iterator();
        List<String> differences = new ArrayList<>();
        kinds.forEach((name, frame) -> {
            List<String> theirs = lines.next();
            String expected = theirs(theirs);
            String seen = ours(frame);
            if (!seen.equals(expected)) {
                differences.add(name + "\n  tshark " + expected + "\n  we     " + seen + "\n  " + theirs);
            }
        });
        assertThat(lines).isExhausted();
        assertThat(String.join("\n", differences)).isEmpty();
    }

    /** Checksums that were right stay so, addresses change places, and nothing but an answer changes anything else. */
    @Test
    @Tag("captures")
    void tsharkFindsWhatIsSentBackRight(@TempDir Path folder) throws Exception {
        assumeTrue(Tshark.missing().isEmpty(), () -> Tshark.missing().orElse(""));
        List<String> fields = List.of("eth.src", "eth.dst", "ip.src", "ip.dst", "ip.checksum.status",
                "udp.checksum.status", "tcp.checksum.status", "icmp.checksum.status", "_ws.malformed");
        List<byte[]> sent = new ArrayList<>(FrameKinds.all().values());
        List<List<String>> before = Tshark.fields(file(folder.resolve("before.pcap"), sent), fields);
        List<byte[]> back = new ArrayList<>();
        Mirror mirror = new Mirror();
        for (byte[] frame : sent) {
            byte[] copy = frame.clone();
            assertThat(mirror.process(MemorySegment.ofArray(copy), 0, copy.length)).isEqualTo(copy.length);
            back.add(copy);
        }
        List<List<String>> after = Tshark.fields(file(folder.resolve("after.pcap"), back), fields);
        for (int i = 0; i < sent.size(); i++) {
            assertThat(after.get(i).subList(4, 9)).as("frame %d", i + 1).isEqualTo(before.get(i).subList(4, 9));
            assertThat(after.get(i).get(0)).isEqualTo(before.get(i).get(1));
            assertThat(after.get(i).get(1)).isEqualTo(before.get(i).get(0));
            assertThat(after.get(i).subList(2, 4)).as("frame %d", i + 1)
                    .isIn(before.get(i).subList(2, 4), before.get(i).subList(2, 4).reversed());
        }
    }

    private static Path file(Path file, Iterable<byte[]> frames) throws IOException {
        try (CaptureWriter writer = CaptureWriter.create(file, List.of("kinds"))) {
            for (byte[] frame : frames) {
                writer.write(0, 0, frame, 0, frame.length);
            }
        }
        return file;
    }

    /** Of the outermost IP packet: addresses, and ports and payload if TCP or UDP is in it, all there. */
    private static String theirs(List<String> fields) {
        List<String> layers = new ArrayList<>(List.of(fields.getFirst().split(":")));
        layers.removeIf(layer -> BETWEEN.contains(layer));
        int ip = layers.indexOf("ip");
        int six = layers.indexOf("ipv6");
        boolean isSix = six >= 0 && (ip < 0 || six < ip);
        int network = isSix ? six : ip;
        String source = fields.get(isSix ? 3 : 1);
        String target = fields.get(isSix ? 4 : 2);
        if (network < 0 || target.isEmpty()) { // cut in its header
            return "no IP";
        }
        String transport = network + 1 < layers.size() ? layers.get(network + 1) : "";
        int at = transport.equals("udp") ? 5 : transport.equals("tcp") ? 7 : -1;
        String text = source + " > " + target;
        boolean isMalformed = fields.get(11).toLowerCase(Locale.ROOT).contains(transport);
        return at < 0 || isMalformed
                ? text
                : text + " " + transport + " " + fields.get(at) + " > " + fields.get(at + 1) + " "
                        + (at == 5 ? udpPayload(fields) : fields.get(10));
    }

    /** Of what is in the packet, as much as UDP's own length says. */
    private static String udpPayload(List<String> fields) {
        String all = fields.get(9);
        return all.substring(0, Math.min(all.length(), 2 * (Integer.parseInt(fields.get(12)) - 8)));
    }

    private String ours(byte[] frame) {
        MemorySegment memory = MemorySegment.ofArray(frame);
        boolean hasPorts = headers.read(memory, 0, frame.length);
        if (headers.network() == PacketHeaders.NONE) {
            return "no IP";
        }
        int bytes = headers.isIpv6() ? 16 : 4;
        int from = headers.network() + (headers.isIpv6() ? 8 : 12);
        String text = address(frame, from, bytes) + " > " + address(frame, from + bytes, bytes);
        return !hasPorts
                ? text
                : text + (headers.protocol() == PacketHeaders.UDP ? " udp " : " tcp ") + headers.sourcePort() + " > "
                        + headers.destinationPort() + " " + HexFormat.of().formatHex(frame, headers.payload(),
                                headers.payloadEnd());
    }

    private static String address(byte[] frame, int at, int bytes) {
        try {
            return java.net.InetAddress.getByAddress(Arrays.copyOfRange(frame, at, at + bytes)).getHostAddress()
                    .replaceFirst("(:0)+:", "::");
        } catch (java.net.UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }

    @Test
    void framesOfFixedSeedsAreReadWithinTheirBounds() {
        fuzz(1, 20_000, Long.MAX_VALUE);
    }

    @Test
    @Tag("fuzz")
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void framesOfNewSeedsAreReadWithinTheirBounds() {
        long minutes = Long.getLong("bascule.fuzzMinutes", 1);
        fuzz(ThreadLocalRandom.current().nextLong(1L << 40), Integer.MAX_VALUE,
                System.nanoTime() + TimeUnit.MINUTES.toNanos(minutes) / 8);
    }

    /** A frame is a memory of its own, so that a byte outside of it is an exception. */
    private void fuzz(long firstSeed, int count, long deadline) {
        List<byte[]> kinds = new ArrayList<>(FrameKinds.all().values());
        List<PacketProcessor> apps = List.of(new Echo(), new L2Forward(), new Mirror(),
                new Telemetry(new CountSketch(5, 1 << 10, 1, 1)),
                new Maglev(new MaglevTable(List.of("a", "b", "c")), new int[] { 1, 2, 3 }, 1 << 8),
                new KeyValueServer(new CircularStore(1 << 16, 1 << 8), 40_009),
                new LogMonitor(new PatternSet(List.of("a[bc]+d")), 64));
        for (int i = 0; i < count && System.nanoTime() - deadline < 0; i++) {
            long seed = firstSeed + i;
            SplittableRandom random = new SplittableRandom(seed);
            byte[] kind = kinds.get(random.nextInt(kinds.size()));
            byte[] frame = Arrays.copyOf(kind, random.nextInt(4) == 0 ? random.nextInt(kind.length + 1) : kind.length);
            for (int change = random.nextInt(6); change > 0 && frame.length > 0; change--) {
                frame[random.nextInt(Math.min(frame.length, 90))] = (byte) random.nextInt();
            }
            check(frame, seed);
            for (PacketProcessor app : apps) {
                byte[] copy = frame.clone();
                assertThat(app.process(MemorySegment.ofArray(copy), 0, copy.length)).as("seed %d", seed)
                        .isIn(0, copy.length);
            }
        }
    }

    private void check(byte[] frame, long seed) {
        boolean hasPorts = headers.read(MemorySegment.ofArray(frame), 0, frame.length);
        headers.flowHash();
        assertThat(headers.end()).as("seed %d", seed).isBetween(0, frame.length);
        if (hasPorts) {
            assertThat(headers.payload()).as("seed %d", seed).isGreaterThanOrEqualTo(headers.transport() + 8)
                    .isLessThanOrEqualTo(headers.payloadEnd());
            assertThat(headers.payloadEnd()).as("seed %d", seed).isLessThanOrEqualTo(headers.end());
            assertThat(headers.transport()).as("seed %d", seed).isGreaterThan(headers.network());
        }
    }

    @Test
    void aLaterFragmentHasNoPortsAndWhatLooksLikeThemStays() {
        byte[] frame = FrameKinds.all().get("middle fragment, UDP");
        byte[] before = frame.clone();
        assertThat(headers.read(MemorySegment.ofArray(frame), 0, frame.length)).isFalse();
        assertThat(headers.protocol()).isEqualTo(PacketHeaders.UDP);
        new Mirror().process(MemorySegment.ofArray(frame), 0, frame.length);
        assertThat(Arrays.copyOfRange(frame, 34, frame.length)).isEqualTo(
                Arrays.copyOfRange(before, 34, before.length));
    }
}
