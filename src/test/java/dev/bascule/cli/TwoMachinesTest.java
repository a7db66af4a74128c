package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.ByTurns;
import dev.bascule.model.ivshmem.IvshmemServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The main job over two virtual machines: host and agent each run under a kernel of their own and share nothing but the
 * BAR of an ivshmem device, which both drive through VFIO.
 */
@Tag("long")
class TwoMachinesTest {
    private static final Path HOME = Path.of(System.getProperty("bascule.home", "")).toAbsolutePath();
    private static final int SECONDS = 300;
    private static final String BIND = "set -e; a=; for d in /sys/bus/pci/devices/*; do"
            + " if grep -q 0x1110 $d/device; then a=${d##*/}; fi; done; echo vfio-pci >/sys/bus/pci/devices/$a/driver_override;"
            + " echo $a >/sys/bus/pci/drivers_probe; ";

    @TempDir
    private Path folder = Path.of("");

    private Process machine(String name, Path socket, String script) throws IOException {
        List<String> words = new ArrayList<>(List.of(HOME.resolve("scripts/lab").toString(), "--ivshmem",
                socket.toString(), "--memory", "1024", "--timeout", Integer.toString(SECONDS), "--", "bash", "-c",
                BIND + script, "--"));
        words.addAll(Cli.command(List.of("-XX:-UsePerfData", "-Dbascule.home=" + HOME)));
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true)
                .redirectOutput(folder.resolve(name).toFile()).directory(HOME.toFile());
        builder.environment().put("BASCULE_NO_BUILD", "1");
        builder.environment().put("BASCULE_LAB_CLASSES", "none");
        builder.environment().put("TMPDIR", folder.toString());
        return builder.start();
    }

    @ByTurns(of = 2)
    @ParameterizedTest
    @ValueSource(strings = { "wave", "swap" })
    void everyRequestIsAnsweredOnce(String transport) throws Exception {
        Process check = new ProcessBuilder(HOME.resolve("scripts/lab").toString(), "--check")
                .redirectErrorStream(true).start();
        String missing = new String(check.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        Assumptions.assumeTrue(check.waitFor() == 0, missing);
        Path socket = folder.resolve("ivshmem");
        try (IvshmemServer server = new IvshmemServer(socket, 16 << 20, 8)) {
            Process agent = machine("agent", socket, "exec \"$@\" agent --device $a --stay --transport " + transport);
            Process host = machine("host", socket, "exec \"$@\" run --device $a --external-agent --region /tmp/region"
                    + " --config lab-ivshmem --workload spin --mix short-bimodal --quick --capacity 100000 --load 0.0005 --duration 2s"
                    + " --no-pin --interrupt --cpus 1 --report none --json --transport " + transport);
            try {
                assertThat(host.waitFor(2L * SECONDS, TimeUnit.SECONDS)).as(said()).isTrue();
                assertThat(host.exitValue()).as(said()).isZero();
                assertThat(server.peerCount()).as("the agent's machine is still there").isEqualTo(1);
            } finally {
                stop(host);
                stop(agent);
            }
            assertNoFolderIsLeft();
            String out = Files.readString(folder.resolve("host"));
            System.out.println(
                    transport + " over two machines: served " + value(out, "served") + ", decided by the agent "
                            + value(out, "made") + ", by the host " + value(out, "local"));
            assertThat(value(out, "served")).as(said()).isPositive();
            assertThat(value(out, "made")).as("decisions of the agent: " + said()).isPositive();
            assertThat(value(out, "lost")).isZero();
            assertThat(value(out, "duplicated")).isZero();
        }
    }

    private String said() throws IOException {
        return "host: " + Files.readString(folder.resolve("host")) + "\nagent: "
                + Files.readString(folder.resolve("agent"));
    }

    /** As Ctrl-C and {@code kill} do: the script ends its machine and leaves nothing. */
    private void stop(Process machine) throws Exception {
        List<ProcessHandle> all = machine.descendants().toList();
        machine.destroy();
        try {
            assertThat(machine.waitFor(60, TimeUnit.SECONDS)).as("ends when it is told to").isTrue();
            assertThat(all).as("no machine is left").noneMatch(ProcessHandle::isAlive);
        } finally {
            all.forEach(ProcessHandle::destroyForcibly);
            machine.destroyForcibly();
        }
    }

    private void assertNoFolderIsLeft() throws IOException {
        try (var files = Files.list(folder)) {
            assertThat(files.filter(Files::isDirectory)).isEmpty();
        }
    }

    private static long value(String json, String name) {
        Matcher matcher = Pattern.compile("\"" + name + "\": (\\d+)").matcher(json);
        if (!matcher.find()) {
            throw new AssertionError("no " + name + " in " + json);
        }
        return Long.parseLong(matcher.group(1));
    }
}
