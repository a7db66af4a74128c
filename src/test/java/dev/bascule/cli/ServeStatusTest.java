package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.Linux;
import dev.bascule.ffi.Signals;
import dev.bascule.nic.RxPipe;
import dev.bascule.nic.enso.EnsoConfig;
import dev.bascule.nic.enso.EnsoNic;
import dev.bascule.run.Errors;
import dev.bascule.vfiouser.VfioUserDevice;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code serve} says when it ends, and its exit status: by itself, and when a signal ends it. */
@Tag("process")
class ServeStatusTest {
    private static final int FRAMES = 2_000;
    private static final int SIGINT = 2;
    private static final int SIGTERM_STATUS = 128 + Linux.SIGTERM;

    @TempDir
    private Path folder = Path.of("");

    private @Nullable Process process;

    @AfterEach
    void end() throws InterruptedException {
        if (process != null) {
            process.destroyForcibly().waitFor();
        }
    }

    private Process serve(String... words) throws IOException {
        List<String> all = new ArrayList<>(List.of("serve", "--socket", folder.resolve("nic").toString(), "--json",
                "--wire", "pcap:" + ServedLossesTest.file(folder, FRAMES)));
        all.addAll(List.of(words));
        Process started = new ProcessBuilder(Cli.command(List.of(), all.toArray(String[]::new)))
                .redirectErrorStream(true).start();
        process = started;
        return started;
    }

    /** Reads until a line has {@code text}; says that line. */
    private static String until(BufferedReader events, String text) throws IOException {
        StringBuilder seen = new StringBuilder();
        for (String line = events.readLine(); line != null; line = events.readLine()) {
            if (line.contains(text)) {
                return line;
            }
            seen.append(line).append('\n');
        }
        throw new AssertionError("no " + text + " in\n" + seen);
    }

    private static int status(Process serving) throws InterruptedException {
        assertThat(serving.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return serving.exitValue();
    }

    @ParameterizedTest
    @ValueSource(ints = { Linux.SIGTERM, SIGINT })
    void aSignalEndsItWithTheLossesAndTheirStatus(int signal) throws Exception {
        Process serving = serve("--device", "enso", "--pace", "recorded");
        BufferedReader events = serving.inputReader();
        until(events, "\"event\":\"listening\"");
        try (VfioUserDevice device = VfioUserDevice.open(folder.resolve("nic"))) {
            assertThat(device.info().vendorId()).isEqualTo(0x1172);
            until(events, "\"event\":\"played\"");
            Signals.send(serving.pid(), signal);
            assertThat(until(events, "\"event\":\"ended\"")).contains("\"sentToTheDevice\":" + FRAMES,
                    "\"lost\":" + FRAMES,
                    "{\"where\":\"steering\",\"lack\":\"no pipe bound to the flow\",\"frames\":" + FRAMES + "}");
            assertThat(status(serving)).isEqualTo(Errors.FAILED);
        }
    }

    @Test
    void aSignalWithoutLossesKeepsItsOwnStatus() throws Exception {
        Process serving = serve("--device", "enso");
        BufferedReader events = serving.inputReader();
        until(events, "\"event\":\"listening\"");
        Signals.send(serving.pid(), Linux.SIGTERM);
        assertThat(until(events, "\"event\":\"ended\"")).contains("\"sentToTheDevice\":0", "\"lost\":0",
                "\"lostWhere\":[]", "\"files\":\"not played to the end\"");
        assertThat(status(serving)).isEqualTo(SIGTERM_STATUS);
    }

    @Test
    void aLosslessFileIsReceivedWholeAndTheStatusIsZero() throws Exception {
        Process serving = serve("--device", "enso", "--once");
        BufferedReader events = serving.inputReader();
        until(events, "\"event\":\"listening\"");
        try (VfioUserDevice device = VfioUserDevice.open(folder.resolve("nic"));
                EnsoNic nic = EnsoNic.open(device, EnsoConfig.DEFAULT)) {
            RxPipe pipe = nic.openGroup().openFallbackRx();
            long received = 0;
            while (received < FRAMES) {
                nic.check();
                received += pipe.peek() / RxPipe.QUANTUM_BYTES;
                pipe.confirm(pipe.peek());
                pipe.free(pipe.heldBytes());
            }
            until(events, "\"event\":\"played\"");
        }
        assertThat(until(events, "\"event\":\"ended\"")).contains("\"sentToTheDevice\":" + FRAMES, "\"lost\":0")
                .doesNotContain("files");
        assertThat(status(serving)).isZero();
    }

    @Test
    void aVirtioCardWithoutDriverLosesWhatCannotWait() throws Exception {
        Process serving = serve("--device", "virtio", "--pace", "recorded", "--once");
        BufferedReader events = serving.inputReader();
        until(events, "\"event\":\"listening\"");
        try (VfioUserDevice device = VfioUserDevice.open(folder.resolve("nic"))) {
            assertThat(device.info().vendorId()).isEqualTo(0x1af4);
            until(events, "\"event\":\"played\"");
        }
        assertThat(until(events, "\"event\":\"ended\"")).contains("\"lost\":" + FRAMES,
                "{\"where\":\"queue 0\",\"lack\":\"driver not ready\",\"frames\":" + FRAMES + "}");
        assertThat(status(serving)).isEqualTo(Errors.FAILED);
    }

    @Test
    void aCorundumWithoutDriverNamesThePort() throws Exception {
        Process serving = serve("--device", "corundum", "--pace", "recorded", "--once", "--link-delay", "0s");
        BufferedReader events = serving.inputReader();
        until(events, "\"event\":\"listening\"");
        try (VfioUserDevice device = VfioUserDevice.open(folder.resolve("nic"))) {
            assertThat(device.info().vendorId()).isEqualTo(0x1234);
            until(events, "\"event\":\"played\"");
        }
        assertThat(until(events, "\"event\":\"ended\"")).contains("\"sentToTheDevice\":" + FRAMES,
                "{\"where\":\"port 0\",\"lack\":\"no room\",\"frames\":");
        assertThat(status(serving)).isEqualTo(Errors.FAILED);
    }
}
