package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.Registers;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.Signals;
import dev.bascule.model.wire.CaptureReader;
import dev.bascule.model.wire.CaptureWriter;
import dev.bascule.run.Errors;
import dev.bascule.vfiouser.VfioUserDevice;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The command that serves devices, as processes. */
@Tag("process")
class ServeCommandTest {
    @TempDir
    private Path folder = Path.of("");

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void aCorundumIsServedUntilItIsInterrupted() throws Exception {
        Path socket = folder.resolve("nic");
        Process process = serve("--device", "corundum", "--interfaces", "2", "--ports", "1", "--socket",
                socket.toString(), "--json");
        BufferedReader events = process.inputReader();
        assertThat(events.readLine()).contains("\"event\":\"listening\"").contains("vfio-user-pci")
                .contains("memory-backend-memfd").contains(socket.toString());
        try (VfioUserDevice device = VfioUserDevice.open(socket)) {
            assertThat(device.info().vendorId()).isEqualTo(0x1234);
            assertThat(device.info().deviceId()).isEqualTo(0x1001);
            assertThat(device.bar(0).sizeBytes()).isEqualTo(1 << 24);
            Registers registers = device.registers(0);
            assertThat(registers.read32(0)).as("firmware block").isEqualTo(-1);
            assertThat(registers.read32(0x60)).as("interfaces").isEqualTo(2);
            assertThat(registers.read32(0x64)).as("stride").isEqualTo(0x800000);
            assertThat(events.readLine()).contains("\"event\":\"connected\"");
            Process second = serve("--device", "enso", "--socket", socket.toString());
            assertThat(second.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(second.exitValue()).isEqualTo(1);
            assertThat(text(second)).contains("EADDRINUSE").contains("another process listens there")
                    .doesNotContain("\tat ");
            registers.write32(0x810, 1);
            Signals.send(process.pid(), Linux.SIGTERM); // Ctrl-C takes the same way
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(registers.read32(0x60)).as("removed").isEqualTo(-1);
        }
        assertThat(Files.exists(socket)).as("the socket is removed").isFalse();
        assertThat(events.lines()).anyMatch(line -> line.contains("\"event\":\"stopped\""));
    }

    @Test
    void theOtherDevicesAreServedAndAKilledServerLeavesASocketThatIsReplaced() throws Exception {
        Path socket = folder.resolve("nic");
        Path in = folder.resolve("in.pcapng");
        Path out = folder.resolve("out.pcap");
        try (CaptureWriter writer = CaptureWriter.create(in, List.of("p"))) {
            writer.write(0, 0, new byte[60], 0, 60);
        }
        Process first = serve("--device", "enso", "--socket", socket.toString(), "--wire", "pcap:" + in + "," + out);
        assertThat(first.inputReader().readLine()).contains("Serving a simulated enso");
        try (VfioUserDevice device = VfioUserDevice.open(socket)) {
            assertThat(device.info().vendorId()).isEqualTo(0x1172);
            first.destroyForcibly().waitFor();
        }
        assertThat(Files.exists(socket)).as("a killed server cannot remove it").isTrue();
        try (CaptureReader reader = CaptureReader.open(out)) {
            assertThat(reader.next()).as("nothing was sent").isNull();
        }
        Process second = serve("--device", "smartnic", "--once", "--socket", socket.toString());
        assertThat(second.inputReader().readLine()).contains("Serving a simulated smartnic");
        try (VfioUserDevice device = VfioUserDevice.open(socket)) {
            assertThat(device.bars()).hasSize(2);
            assertThat(device.bar(2).isMappable(0, device.bar(2).sizeBytes())).isTrue();
            device.registers(2).write64(64, 9);
            assertThat(device.registers(2).read64(64)).as("a read waits for the posted write").isEqualTo(9);
            assertThat(device.memory(2, 64, 8).get(java.lang.foreign.ValueLayout.JAVA_LONG, 0)).isEqualTo(9);
        }
        assertThat(second.waitFor(60, TimeUnit.SECONDS)).as("--once").isTrue();
        assertThat(second.exitValue()).isZero();
    }

    @Test
    void aFlashIsServedWithWhatTheFileHolds() throws Exception {
        Path socket = folder.resolve("nic");
        Path content = Files.write(folder.resolve("image.bin"), new byte[] { 0x12, 0x34 });
        Process process = serve("--device", "corundum", "--flash", "bpi:" + content, "--socket", socket.toString(),
                "--json");
        assertThat(process.inputReader().readLine()).contains("\"event\":\"listening\"");
        try (VfioUserDevice device = VfioUserDevice.open(socket)) {
            Registers registers = device.registers(0);
            List<Integer> types = new ArrayList<>();
            for (int at = 0, i = 0; i < 32 && (at > 0 || i == 0); at = registers.read32(at + 8), i++) {
                types.add(registers.read32(at));
            }
            assertThat(types).contains(0xC121);
        }
        process.destroy();
    }

    @Test
    void wrongWordsAreToldWithTheRightOnes() throws Exception {
        String socket = folder.resolve("nic").toString();
        String[][] commands = { { "--device", "toaster" }, { "--device", "corundum", "--wire", "string" },
                { "--device", "corundum", "--profile", "next" }, { "--device", "corundum", "--interfaces", "3" },
                { "--device", "smartnic", "--wire", "loop" }, { "--device", "corundum", "--wire", "pcap:," },
                { "--device", "corundum", "--flash", "nand:x" }, { "--device", "corundum", "--flash", "spi" },
                { "--device", "corundum", "--flash", "bpi:/nowhere/image" } };
        String[] answers = { "--device toaster: there are ", "a wire is loop, open", "there are may-2024",
                "there are 1, 2, 4", "the device has 0 ports", "name a file to read", "spi:FILE",
                "names no file", "cannot read /nowhere/image" };
        for (int i = 0; i < commands.length; i++) {
            List<String> words = new ArrayList<>(List.of("serve", "--socket", socket));
            words.addAll(List.of(commands[i]));
            Cli cli = Cli.run(words.toArray(String[]::new));
            // a file that is not there is failed work
            assertThat(cli.status()).isEqualTo(i == commands.length - 1 ? Errors.FAILED : Errors.USAGE);
            assertThat(cli.err()).contains(answers[i]).doesNotContain("\tat ");
        }
        assertThat(Files.exists(Path.of(socket))).isFalse();
    }

    private Process serve(String... words) throws Exception {
        List<String> all = new ArrayList<>(List.of("serve"));
        all.addAll(List.of(words));
        Process process = new ProcessBuilder(Cli.command(List.of(), all.toArray(String[]::new)))
                .redirectErrorStream(true).start();
        processes.add(process);
        return process;
    }

    private static String text(Process process) throws Exception {
        try (var reader = new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            return String.join("\n", reader.lines().toList());
        }
    }
}
