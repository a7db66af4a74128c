package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An archive for a card's Arm cores, unpacked and started under QEMU's user-mode emulation on a machine that has no aarch64
 * library at all: its agent decides for a host over a served card.
 */
@Tag("long")
class PackTest {
    private static final Path HOME = Path.of(System.getProperty("bascule.baseDirectory", "")).toAbsolutePath();

    @TempDir
    private Path folder = Path.of("");

    private final List<Process> processes = new ArrayList<>();
    private String emulator = "";

    @BeforeEach
    void needsTheTargetsPackagesAndAnEmulator() throws Exception {
        for (String script : List.of("pack-target", "java-aarch64")) {
            Process check = new ProcessBuilder(HOME.resolve("scripts/" + script).toString(), "--check")
                    .redirectErrorStream(true).start();
            String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            Assumptions.assumeTrue(check.waitFor() == 0, said);
        }
        Assumptions.assumeTrue(Files.isRegularFile(HOME.resolve("target/bascule.jar")), "no target/bascule.jar");
        String cache = System.getenv().getOrDefault("BASCULE_LAB_CACHE",
                System.getProperty("user.home") + "/.cache/bascule/lab");
        emulator = cache + "/aarch64/qemu/usr/bin/qemu-aarch64";
        Assumptions.assumeTrue(Files.isExecutable(Path.of(emulator)), "no " + emulator);
    }

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : processes.reversed()) {
            process.destroy();
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        }
    }

    private String run(String... words) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(words).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().put("BASCULE_EMULATOR", emulator);
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    @Test
    void anArchiveForArmCoresIsWholeStartsBareAndItsAgentDecides() throws Exception {
        Path card = Files.writeString(folder.resolve("my-card.yaml"), """
                kind: pci
                device: {ids: "1234:ba5c", driver: smartnic, seen: simulated}
                region: {device: "%s"}
                cores: {memory: socket, path: "%s"}
                watchdog: {softWindow: 1 s, hardLimit: 60 s}
                """.formatted(folder.resolve("nic0"), folder.resolve("cores")));
        Cli packed = Cli.run(List.of("-Dbascule.home=" + HOME), "pack", "--target", "linux-aarch64", "--config",
                card.toString(), "--output", folder.resolve("card.tar.gz").toString());
        assertThat(packed.status()).as(packed.err()).isZero();
        assertThat(packed.out()).contains("Linux 3.7 or newer").contains("glibc 2.");
        run("tar", "-xzf", "card.tar.gz");
        run("sh", "-c", "cd bascule && sha256sum --quiet -c SHA256SUMS");
        String bascule = folder.resolve("bascule/bin/bascule").toString();
        assertThat(run(bascule, "--version")).contains("aarch64");
        assertThat(run(bascule, "agent", "--device", "my-card", "--transport", "any", "--stay", "--unit"))
                .contains("ExecStart=" + bascule + " agent --device my-card --transport any --stay\n")
                .contains("WantedBy=multi-user.target");
        processes.add(new ProcessBuilder(Cli.command(List.of(), "serve", "--device", "smartnic", "--socket",
                folder.resolve("nic0").toString(), "--cores", folder.resolve("cores").toString()))
                .redirectErrorStream(true).redirectOutput(folder.resolve("serve.log").toFile()).start());
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!Files.exists(folder.resolve("cores"))) {
            assertThat(System.nanoTime() - deadline).as(Files.readString(folder.resolve("serve.log"))).isNegative();
            Thread.sleep(20);
        }
        assertThat(run(bascule, "doctor", "--device", "my-card"))
                .containsPattern("card's cores +ok +card at .*4096 KiB");
        Cli run = Cli.run("run", "--device", card.toString(), "--agent-command",
                "env BASCULE_EMULATOR=" + emulator + " " + bascule, "--transport", "wave", "--workload", "spin",
                "--mix",
                "short-bimodal", "--quick", "--capacity", "2000", "--load", "0.1", "--duration", "2s", "--cpus", "1",
                "--no-pin", "--interrupt", "--report", "none", "--fallback-limit", "1", "--patient", "--json");
        assertThat(run.status()).as(run.err() + run.out()).isZero();
        assertThat(run.out()).containsPattern("\"made\": [1-9]").containsPattern("\"lost\": 0");
    }
}
