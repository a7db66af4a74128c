package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.junit.ByTurns;
import dev.bascule.lab.Lab;
import dev.bascule.nic.ivshmem.IvshmemRegisters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The main job with its region in a real PCI BAR: host and agent, two processes, drive a device each through VFIO. */
@Tag("lab")
class IvshmemMainJobLabTest {
    private static final Pattern NUMBER = Pattern.compile("\"(served|lost|duplicated|made|local)\": (\\d+)");

    @TempDir
    private Path region = Path.of("");

    @ByTurns(of = 2)
    @ParameterizedTest
    @ValueSource(strings = { "wave", "swap" })
    void everyRequestIsAnsweredOnce(String transport) throws IOException {
        String host = Lab.bound(IvshmemRegisters.VENDOR_ID, IvshmemRegisters.DEVICE_ID, 0).toString();
        String agent = Lab.bound(IvshmemRegisters.VENDOR_ID, IvshmemRegisters.DEVICE_ID, 1).toString();
        Cli run = Cli.call("run", "--device", host + "," + agent, "--transport", transport, "--workload", "spin",
                "--mix", "short-bimodal", "--quick", "--capacity", "100000", "--load", "0.002", "--duration", "2s",
                "--no-pin", "--interrupt",
                "--cpus",
                "1",
                "--report", "none", "--config", "lab-ivshmem", "--region", region.toString(), "--json");
        Path file = region.resolve("agent.log");
        String log = Files.exists(file) ? Files.readString(file) : "no agent was started";
        System.out.println(transport + ": served " + value(run.out(), "served") + ", decided by the agent "
                + value(run.out(), "made") + ", by the host " + value(run.out(), "local"));
        assertThat(value(run.out(), "served")).as(run.err() + log).isPositive();
        assertThat(value(run.out(), "made")).as("decisions of the agent; its output: " + log).isPositive();
        assertThat(value(run.out(), "lost")).isZero();
        assertThat(value(run.out(), "duplicated")).isZero();
    }

    private static long value(String json, String name) {
        Matcher matcher = NUMBER.matcher(json);
        while (matcher.find()) {
            if (matcher.group(1).equals(name)) {
                return Long.parseLong(matcher.group(2));
            }
        }
        throw new AssertionError("no " + name + " in " + json);
    }
}
