package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.ByTurns;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two cards, each served by a process of its own, with a cable between the processes; each card in a virtual machine of
 * its own, whose driver reaches it through the kernel's VFIO and QEMU's vfio-user-pci.
 */
@ByTurns(of = 2, place = 1)
@Tag("long")
class TwoGuestsTest {
    private static final Path HOME = Path.of(System.getProperty("bascule.home", "")).toAbsolutePath();
    private static final int SECONDS = 300;
    private static final int PACKETS = 100;
    private static final String BIND = "set -e; a=; for d in /sys/bus/pci/devices/*; do"
            + " if grep -q 0x1001 $d/device && grep -q 0x1234 $d/vendor; then a=${d##*/}; fi; done;"
            + " echo vfio-pci >/sys/bus/pci/devices/$a/driver_override; echo $a >/sys/bus/pci/drivers_probe; ";

    @TempDir
    private Path folder = Path.of("");

    private final List<Process> processes = new ArrayList<>();

    @BeforeEach
    void haveTheLab() throws Exception {
        for (String script : List.of("lab", "lab-qemu")) {
            Process check = new ProcessBuilder(HOME.resolve("scripts/" + script).toString(), "--check")
                    .redirectErrorStream(true).start();
            String missing = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            Assumptions.assumeTrue(check.waitFor() == 0, missing);
        }
    }

    @AfterEach
    void end() throws InterruptedException {
        for (Process process : processes.reversed()) {
            stop(process);
        }
    }

    private static void stop(Process process) throws InterruptedException {
        List<ProcessHandle> all = process.descendants().toList();
        process.destroy();
        if (!process.waitFor(5, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        all.forEach(ProcessHandle::destroyForcibly);
    }

    @Test
    void packetsOfOneMachineComeBackFromTheOther() throws Exception {
        Process left = serve("left");
        Process right = serve("right");
        Process echo = machine("right", "echo");
        Process generator = machine("left", "pktgen --rate 100 --duration " + SECONDS + "s"); // lost until the other is up
        await(generator, () -> said("left", "received") >= PACKETS);
        await(echo, () -> said("right", "echoed") >= PACKETS);
        System.out.println("two machines: sent " + said("left", "sent") + ", echoed " + said("right", "echoed")
                + ", came back " + said("left", "received"));
        assertThat(said("left", "sent")).as(all()).isGreaterThanOrEqualTo(said("left", "received"));
        for (Process machine : List.of(generator, echo)) {
            stop(machine); // the virtual machine is switched off, not asked
        }
        await(left, () -> said("left.card").contains("disconnected"));
        await(right, () -> said("right.card").contains("disconnected"));
    }

    private Process serve(String name) throws Exception {
        Process server = start(name + ".card",
                new ProcessBuilder(Cli.command(List.of(), "serve", "--device", "corundum",
                        "--ports", "1", "--queues", "16", "--wire", "cross:" + folder.resolve("cable"), "--socket",
                        folder.resolve(name).toString(), "--json")));
        await(server, () -> said(name + ".card").contains("listening"));
        return server;
    }

    private Process machine(String name, String tool) throws IOException {
        List<String> words = new ArrayList<>(List.of(HOME.resolve("scripts/lab").toString(), "--no-devices",
                "--vfio-user", folder.resolve(name).toString(), "--memory", "768", "--timeout",
                Integer.toString(SECONDS), "--", "bash", "-c", BIND + "exec \"$@\" " + tool + " --device $a", "--"));
        words.addAll(Cli.command(List.of("-XX:-UsePerfData", "-Dbascule.home=" + HOME)));
        ProcessBuilder builder = new ProcessBuilder(words).directory(HOME.toFile());
        builder.environment().put("BASCULE_NO_BUILD", "1");
        builder.environment().put("BASCULE_LAB_CLASSES", "none");
        builder.environment().put("TMPDIR", folder.toString());
        return start(name + ".out", builder);
    }

    private Process start(String log, ProcessBuilder builder) throws IOException {
        Process process = builder.redirectErrorStream(true).redirectOutput(folder.resolve(log).toFile()).start();
        processes.add(process);
        return process;
    }

    private void await(Process process, BooleanSupplier condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (!condition.getAsBoolean()) {
            assertThat(process.isAlive()).as(all()).isTrue();
            assertThat(System.nanoTime() - deadline).as(all()).isNegative();
            Thread.sleep(100);
        }
    }

    private String said(String name) {
        try {
            return Files.readString(folder.resolve(name.contains(".") ? name : name + ".out"));
        } catch (IOException e) {
            return "";
        }
    }

    private String all() {
        return "left: " + said("left") + said("left.card") + "\nright: " + said("right") + said("right.card");
    }

    /** The newest of the numbers that a tool says every two seconds. */
    private long said(String name, String what) {
        Matcher matcher = Pattern.compile(what + " ([0-9,]*[0-9])").matcher(said(name));
        long last = 0;
        while (matcher.find()) {
            last = Long.parseLong(matcher.group(1).replace(",", ""));
        }
        return last;
    }
}
