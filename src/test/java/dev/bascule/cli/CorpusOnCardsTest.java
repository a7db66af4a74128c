package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.app.Capture;
import dev.bascule.app.FrameKinds;
import dev.bascule.app.L2Forward;
import dev.bascule.app.Mirror;
import dev.bascule.app.enso.SampleApps;
import dev.bascule.device.DeviceModel;
import dev.bascule.junit.ByTurns;
import dev.bascule.model.CountedWire;
import dev.bascule.model.Losses;
import dev.bascule.model.cndm.CndmCard;
import dev.bascule.model.cndm.CndmConfig;
import dev.bascule.model.cndm.proto.ProtoCard;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.model.enso.EnsoCard;
import dev.bascule.model.virtio.VirtioCard;
import dev.bascule.model.wire.CaptureReader;
import dev.bascule.model.wire.CaptureWriter;
import dev.bascule.model.wire.CapturedFrame;
import dev.bascule.nic.PacketFormat;
import dev.bascule.nic.PacketProcessor;
import dev.bascule.run.Drain;
import dev.bascule.vfiouser.VfioUserServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * All kinds of frames through every command on every card, counted at the wire: what came out, was left out, dropped by an
 * application or lost is what was offered; every byte that came out is right; and nothing is missing with "lost 0" and 0.
 */
@Tag("heavy")
@Timeout(240)
class CorpusOnCardsTest {
    private static final int SHORTEST = 60;
    private static final List<byte[]> ALL = List.copyOf(FrameKinds.all().values());
    /**
     * Each with a frame behind it whose header is certain. Without those of IPv6 that are shorter than they say: where they
     * end, nothing tells, and they end where a frame does.
     */
    private static final List<byte[]> STREAMED = streamed();

    @TempDir
    private Path folder = Path.of("");

    /** A model and the losses that it knows of. */
    private record Card(DeviceModel model, Supplier<Losses> losses) {}

    static List<byte[]> frames(String card) {
        return card.equals("enso") ? STREAMED : ALL;
    }

    private static List<byte[]> streamed() {
        List<byte[]> all = new ArrayList<>();
        for (byte[] frame : ALL) {
            if (packetBytes(frame) <= frame.length || frame[12] == 8) {
                byte[] mark = FrameKinds.all().get("UDP").clone();
                mark[mark.length - 1] = (byte) all.size();
                all.addAll(List.of(frame, mark));
            }
        }
        return List.copyOf(all);
    }

    private static int packetBytes(byte[] frame) {
        return PacketFormat.packetBytes(MemorySegment.ofArray(Arrays.copyOf(frame, frame.length + 64)), 0,
                frame.length + 64L);
    }

    private static Card card(String name, CorpusWire wire) {
        switch (name) {
            case "cndm" -> {
                CndmCard model = new CndmCard(CndmConfig.MICRO.withPorts(1), List.of(new CountedWire(wire)));
                return new Card(model, model::losses);
            }
            case "cndm-proto" -> {
                ProtoCard model = new ProtoCard(List.of(new CountedWire(wire)));
                return new Card(model, model::losses);
            }
            case "corundum" -> {
                CorundumModel model = new CorundumModel(CorundumConfig.builder().ports(1).build(), List.of(wire), true);
                return new Card(model, model::losses);
            }
            case "enso" -> {
                EnsoCard model = new EnsoCard(new CountedWire(wire));
                return new Card(model, model::losses);
            }
            default -> {
                VirtioCard model = new VirtioCard(new CountedWire(wire));
                return new Card(model, () -> Losses.NONE); // a frame longer than a buffer comes to the driver as damaged
            }
        }
    }

    static long number(Cli said, String key) {
        Matcher found = Pattern.compile("\"" + key + "\": (\\d+)").matcher(said.out());
        assertThat(found.find()).as(key + " in " + said.out() + said.err()).isTrue();
        return Long.parseLong(found.group(1));
    }

    static Stream<Arguments> received() {
        return Stream.of("cndm", "cndm-proto", "corundum", "enso", "virtio")
                .flatMap(card -> Stream.of("fwd", "echo", "capture",
                        "app l2-forward --interface packet", "app copy --interface packet", "app copy --interface pipe")
                        .map(command -> Arguments.of(card, command)));
    }

    @ParameterizedTest(name = "{1} on {0}")
    @MethodSource("received")
    void whatComesIn(String name, String command) throws IOException {
        CorpusWire wire = new CorpusWire(frames(name));
        Card card = card(name, wire);
        Path file = folder.resolve("o.pcap");
        Cli said;
        try (VfioUserServer server = VfioUserServer.serve(card.model, folder.resolve("card"), event -> {})) {
            List<String> words = new ArrayList<>(List.of(command.split(" ")));
            words.addAll(List.of("--device", server.path().toString(), "--duration", "1s", "--json"));
            if (command.equals("capture")) {
                words.addAll(List.of("-w", file.toString()));
            }
            said = Cli.call(words.toArray(String[]::new));
        }
        assertThat(wire.waiting()).as(said.out() + said.err()).isZero();
        List<byte[]> out = command.equals("capture") ? read(file) : wire.out();
        long dropped = command.startsWith("app") ? number(said, "droppedByTheApplication") : 0;
        check(name, out, number(said, "lost") + dropped + card.losses.get().total(), said);
        assertThat(said.status()).as(said.out()).isEqualTo(number(said, "lost") == 0 ? 0 : 1);
        inOrder(out, expected(name, command), command.contains("pipe") || name.equals("enso"), said);
    }

    static void check(String card, List<byte[]> out, long accounted, Cli said) {
        assertThat(out.size() + accounted).as(said.out() + said.err()).isEqualTo(seen(card));
    }

    /** All frames; in a stream a quantum or more behind a packet is something else, which cannot be read. */
    private static long seen(String card) {
        long trailed = card.equals("enso") ? frames(card).stream().filter(CorpusOnCardsTest::isTrailed).count() : 0;
        return frames(card).size() + trailed;
    }

    private static boolean isTrailed(byte[] frame) {
        int packet = packetBytes(frame);
        return packet >= 0 && PacketFormat.padded(packet) < PacketFormat.padded(frame.length);
    }

    private static List<byte[]> expected(String card, String command) {
        PacketProcessor processor = command.startsWith("echo")
                ? new Mirror()
                : command.contains("l2-forward") ? new L2Forward() : (memory, offset, length) -> length;
        return processed(card, processor);
    }

    private static List<byte[]> processed(String card, PacketProcessor processor) {
        List<byte[]> done = new ArrayList<>();
        for (byte[] frame : frames(card)) {
            byte[] copy = frame.clone();
            if (processor.process(MemorySegment.ofArray(copy), 0, copy.length) > 0) {
                done.add(copy);
            }
        }
        return done;
    }

    /** Each frame is one of those expected, in their order, none twice; from pipes without what is behind its packet. */
    static void inOrder(List<byte[]> out, List<byte[]> expected, boolean isCut, Cli said) {
        int at = 0;
        for (byte[] frame : out) {
            while (at < expected.size() && !isSame(expected.get(at), frame, isCut)) {
                at++;
            }
            assertThat(at).as("a frame of %d bytes that is none of those sent, or out of order: %s\n%s", frame.length,
                    Arrays.toString(frame), said).isLessThan(expected.size());
            at++;
        }
        assertThat(out.isEmpty()).as(said.toString()).isEqualTo(expected.isEmpty());
    }

    /** From a stream a frame comes without what is behind its packet, filled up with zeros by the card. */
    private static boolean isSame(byte[] expected, byte[] frame, boolean isCut) {
        if (!isCut) {
            return Arrays.equals(expected, frame);
        }
        int packet = packetBytes(expected);
        int common = packet < 0 ? expected.length : Math.min(packet, expected.length);
        if (frame.length < common || !Arrays.equals(expected, 0, common, frame, 0, common)) {
            return false;
        }
        return frame.length == common || frame.length <= SHORTEST && isZero(frame, common)
                || Arrays.equals(expected, frame);
    }

    private static boolean isZero(byte[] frame, int from) {
        for (int i = from; i < frame.length; i++) {
            if (frame[i] != 0) {
                return false;
            }
        }
        return true;
    }

    static List<byte[]> read(Path file) throws IOException {
        List<byte[]> frames = new ArrayList<>();
        try (CaptureReader reader = CaptureReader.open(file)) {
            for (CapturedFrame frame = reader.next(); frame != null; frame = reader.next()) {
                frames.add(frame.data());
            }
        }
        return frames;
    }

    /** A capture of these frames. */
    static Path file(Path folder, List<byte[]> frames) throws IOException {
        Path file = folder.resolve("in.pcap");
        try (CaptureWriter writer = CaptureWriter.create(file, List.of("in"))) {
            for (byte[] frame : frames) {
                writer.write(0, 0, frame, 0, frame.length);
            }
        }
        return file;
    }

    @ParameterizedTest
    @CsvSource({ "cndm", "cndm-proto", "corundum", "enso", "virtio" })
    void whatPktgenSends(String name) throws IOException {
        CorpusWire wire = new CorpusWire(List.of());
        Card card = card(name, wire);
        Cli said;
        try (VfioUserServer server = VfioUserServer.serve(card.model, folder.resolve("card"), event -> {})) {
            said = Cli.call("pktgen", "--device", server.path().toString(), "--pcap", file(folder, ALL).toString(),
                    "--json");
        }
        assertThat(number(said, "packetsSent") + number(said, "framesLeftOut")).as(said.out()).isEqualTo(ALL.size());
        assertThat(wire.out()).as(said.out()).hasSize((int) number(said, "packetsSent"));
        inOrder(wire.out(), ALL, name.equals("enso"), said);
    }

    /** A card as {@code serve} has it, a process with files for its cable. */
    @Tag("process")
    @ByTurns(of = 5)
    @ParameterizedTest
    @CsvSource({ "cndm,--ports 1", "cndm-proto,--ports 1 --profile proto", "corundum,--ports 1 --link-delay 0s",
            "enso,--pace lossless",
            "virtio,--pace lossless" })
    void whatPassesTheFilesOfAServedCard(String name, String further) throws Exception {
        Path out = folder.resolve("out.pcap");
        Path socket = folder.resolve("card");
        List<String> words = new ArrayList<>(
                List.of("serve", "--device", name.replace("-proto", ""), "--socket", socket.toString(),
                        "--once", "--json", "--wire", "pcap:" + file(folder, frames(name)) + "," + out));
        words.addAll(List.of(further.split(" ")));
        Process serving = new ProcessBuilder(Cli.command(List.of(), words.toArray(String[]::new)))
                .redirectErrorStream(true).start();
        try (BufferedReader events = serving.inputReader()) {
            assertThat(events.readLine()).contains("\"event\":\"listening\"");
            Cli echo = Cli.call("echo", "--device", socket.toString(), "--duration", "2s", "--json");
            String served = String.join("\n", events.lines().toList()).replace("\":", "\": ");
            Cli card = new Cli(serving.waitFor(), served, echo.out() + echo.err());
            List<byte[]> came = read(out);
            assertThat(number(card, "sentByTheDevice")).as(card.toString()).isEqualTo(came.size());
            // the frame that is longer than virtio's buffer is seen at both ends
            long atTheCard = name.equals("virtio") ? 0 : number(card, "lost");
            check(name, came, number(echo, "lost") + atTheCard, card);
            assertThat(card.status()).as(card.toString()).isEqualTo(number(card, "lost") == 0 ? 0 : 1);
            inOrder(came, processed(name, new Mirror()), name.equals("enso"), card);
        } finally {
            serving.destroyForcibly();
        }
    }

    private static long accounted(AppRun run) {
        return run.losses().plus(run.misfits()).total() + run.noRoom() + run.dropped();
    }

    static Stream<Arguments> applications() {
        return SampleApps.NAMES.stream().flatMap(app -> Stream.of("pipe", "packet")
                .flatMap(view -> Stream.of("corundum", "enso").map(card -> Arguments.of(app, view, card))));
    }

    @ParameterizedTest(name = "{0} on {1}s of {2}")
    @MethodSource("applications")
    void whatApplicationsTake(String app, String view, String card) throws Exception {
        List<byte[]> frames = frames(card);
        CorpusWire wire = new CorpusWire(frames);
        Path file = folder.resolve("o.pcap");
        PacketProcessor processor = app.equals("copy") ? AppRun.COPY : SampleApps.processor(app, file);
        String said;
        long accounted;
        boolean isCapture = processor instanceof Capture;
        try (AppRun run = AppRun.open(card, view, processor, wire)) {
            new Drain(System::nanoTime).until(() -> frames.size(), () -> frames.size() - wire.waiting(), run::round);
            new Drain(System::nanoTime).until(() -> seen(card),
                    () -> (isCapture ? 0 : wire.out().size()) + accounted(run), run::round);
            accounted = accounted(run) - (isCapture ? run.dropped() : 0);
            said = run.losses() + " " + run.misfits() + " no room " + run.noRoom() + " dropped " + run.dropped();
        }
        List<byte[]> out = isCapture ? read(file) : wire.out();
        Cli shown = new Cli(0, said, app + " " + view + " " + card);
        check(card, out, accounted, shown);
        if (!out.isEmpty()) {
            PacketProcessor again = app.equals("copy")
                    ? AppRun.COPY
                    : SampleApps.processor(app, folder.resolve("again"));
            inOrder(out, isCapture ? frames : processed(card, again), view.equals("pipe") || card.equals("enso"),
                    shown);
        }
    }
}
