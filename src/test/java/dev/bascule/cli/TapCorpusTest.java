package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.app.FrameKinds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * All kinds of frames through a card that {@code serve} plugs into a TAP interface, both ways, counted by a program in Python
 * at the kernel's end: what arrived, was left out, refused or lost is what was offered, and every byte that arrived is right.
 */
@Tag("rpc")
@Timeout(240)
class TapCorpusTest {
    private static final List<byte[]> ALL = List.copyOf(FrameKinds.all().values());
    /** Bytes of an Ethernet frame of an interface as the kernel makes it. */
    private static final int MTU = 1514;
    private static final long PATIENCE_SECONDS = 60;
    private static final String PROGRESS = "captured ";

    @TempDir
    private Path folder = Path.of("");

    /** A card at work in the namespace, and what it has said. */
    private record Served(TapNamespace tap, Process process, Path events, Path socket) {
        Cli end() throws Exception {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as(said()).isTrue();
            return new Cli(process.exitValue(), said().replace("\":", "\": "), tap.err());
        }

        String said() throws IOException {
            return Files.readString(events) + tap.err();
        }
    }

    @BeforeEach
    void requireTap() throws Exception {
        TapNamespace.require();
    }

    private Served serve(String card, TapNamespace tap) throws Exception {
        Path socket = folder.resolve("card");
        Path events = folder.resolve("events");
        List<String> words = new ArrayList<>(List.of("serve", "--device", card, "--socket", socket.toString(), "--once",
                "--json", "--wire", "tap:" + TapNamespace.NAME));
        if (card.equals("corundum")) {
            words.addAll(List.of("--ports", "1", "--link-delay", "0s"));
        }
        Served served = new Served(tap,
                tap.start("tap", Cli.command(List.of(), words.toArray(String[]::new)), events), events, socket);
        await(served.process, events, "\"event\":\"listening\"");
        return served;
    }

    /** Until a process has said something. */
    private static void await(Process process, Path said, String what) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!Files.exists(said) || !Files.readString(said).contains(what)) {
            assertThat(process.isAlive() && System.nanoTime() < deadline)
                    .as(what + " in " + (Files.exists(said) ? Files.readString(said) : "nothing")).isTrue();
            process.waitFor(10, TimeUnit.MILLISECONDS);
        }
    }

    @ParameterizedTest
    @CsvSource({ "corundum", "enso" })
    void whatTheCardSendsArrivesAtTheInterface(String card) throws Exception {
        TapNamespace tap = new TapNamespace(folder);
        tap.offer(List.of());
        Served served = serve(card, tap);
        try {
            Cli sent = Cli.call("pktgen", "--device", served.socket.toString(), "--pcap",
                    CorpusOnCardsTest.file(folder, ALL).toString(),
                    "--json");
            Cli end = served.end();
            Cli said = new Cli(end.status(), end.out() + sent.out(), end.err() + sent.err());
            long packets = CorpusOnCardsTest.number(sent, "packetsSent");
            assertThat(packets + CorpusOnCardsTest.number(sent, "framesLeftOut")).as(said.toString())
                    .isEqualTo(ALL.size());
            assertThat(CorpusOnCardsTest.number(end, "sentByTheDevice")).as(said.toString()).isEqualTo(packets);
            // an Enso fills up what is shorter than a frame, so that the kernel takes it
            boolean isFilledUp = card.equals("enso");
            List<byte[]> seen = ALL.stream().filter(frame -> isFilledUp || TapNamespace.isSeen(frame)).toList();
            assertThat(tap.came()).as(said.toString()).hasSize((int) packets - (ALL.size() - seen.size()));
            CorpusOnCardsTest.inOrder(tap.came(), seen, isFilledUp, said);
            assertThat(CorpusOnCardsTest.number(end, "lost")).as(said.toString()).isZero();
            assertThat(end.status()).as(said.toString()).isZero();
        } finally {
            served.process.destroyForcibly();
        }
    }

    @ParameterizedTest
    @CsvSource({ "corundum", "enso" })
    void whatComesToTheInterfaceArrivesAtTheDriver(String card) throws Exception {
        TapNamespace tap = new TapNamespace(folder);
        Served served = serve(card, tap);
        Path file = folder.resolve("out.pcap");
        Path out = folder.resolve("said");
        Path err = folder.resolve("progress");
        Process capturing = new ProcessBuilder(Cli.command(List.of(), "capture", "--device", served.socket.toString(),
                "-w", file.toString(), "--duration", "5s", "--json")).redirectOutput(out.toFile())
                .redirectError(err.toFile()).start();
        try {
            await(capturing, err, PROGRESS); // the port is open
            List<byte[]> frames = CorpusOnCardsTest.frames(card);
            tap.offer(frames);
            assertThat(capturing.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
            Cli capture = new Cli(capturing.exitValue(), Files.readString(out), Files.readString(err));
            Cli end = served.end();
            Cli said = new Cli(end.status(), end.out() + capture.out(), end.err() + capture.err());
            long refused = frames.stream().filter(frame -> frame.length > MTU).count();
            assertThat(tap.refused()).as(said.toString()).isEqualTo((int) refused);
            List<byte[]> came = CorpusOnCardsTest.read(file);
            long lost = CorpusOnCardsTest.number(capture, "lost") + CorpusOnCardsTest.number(end, "lost");
            CorpusOnCardsTest.check(card, came, lost + refused, said);
            assertThat(CorpusOnCardsTest.number(end, "sentToTheDevice")).as(said.toString())
                    .isEqualTo(frames.size() - refused);
            CorpusOnCardsTest.inOrder(came, frames, card.equals("enso"), said);
            assertThat(capture.status()).as(said.toString())
                    .isEqualTo(CorpusOnCardsTest.number(capture, "lost") == 0 ? 0 : 1);
            assertThat(end.status()).as(said.toString()).isEqualTo(CorpusOnCardsTest.number(end, "lost") == 0 ? 0 : 1);
        } finally {
            capturing.destroyForcibly();
            served.process.destroyForcibly();
        }
    }
}
