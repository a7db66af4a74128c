package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.lab.Lab;
import dev.bascule.lab.LabCli;
import dev.bascule.nic.dpdk.DpdkEal;
import dev.bascule.pci.DriverBinding;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** DPDK's e1000 and igb drivers on the lab's e1000e and igb, bound to vfio-pci, with a hub between them. */
@Tag("lab")
@Timeout(180)
class DpdkLabTest {
    private static final Path LIBRARIES = Path.of("/usr/lib/x86_64-linux-gnu");

    /** Other tests make virtual functions of the igb, with the kernel's driver. */
    @AfterEach
    void giveBack() {
        DriverBinding binding = new DriverBinding(Lab.SYSFS, Lab.PROC);
        Stream.of(0x10d3, 0x10c9).flatMap(device -> Lab.devices(0x8086, device).stream())
                .filter(card -> "vfio-pci".equals(card.driver()))
                .forEach(card -> binding.unbind(card.address(), false));
    }

    @Test
    void packetsGoFromTheE1000eToTheIgbAndBack() throws Exception {
        Lab.require();
        Assumptions.assumeTrue(DpdkEal.missing().isEmpty(), () -> DpdkEal.missing().orElse(""));
        Assumptions.assumeTrue(hasDriver(), "no librte_net_e1000 here: apt-get install libdpdk-dev");
        Assumptions.assumeFalse(Lab.devices(0x8086, 0x10c9).isEmpty(), "this QEMU has no igb");
        String e1000e = Lab.bound(0x8086, 0x10d3, 0).toString();
        String igb = Lab.bound(0x8086, 0x10c9, 0).toString();
        Process echo = LabCli.start("dev.bascule.cli.Main", "echo", "--device", "dpdk:" + igb, "--link-wait", "60s");
        StringBuffer said = new StringBuffer();
        Thread reader = Thread.ofPlatform().daemon().start(() -> read(echo, said));
        try {
            LabCli run = packets(e1000e);
            for (int more = 0; more < 3 && number(run.out(), "packetsReceived") == 0; more++) {
                run = packets(e1000e); // the other process may not have been there yet
            }
            assertThat(run.out()).as("%s; the echo: %s", run.err(), said).contains("\"card\": \"dpdk:" + e1000e);
            assertThat(number(run.out(), "packetsReceived")).as("came back from the other card: %s; %s", run, said)
                    .isPositive();
            assertThat(number(run.out(), "outOfOrder")).isZero();
        } finally {
            echo.toHandle().destroy(); // SIGTERM: it says what it did
            reader.join();
            assertThat(echo.waitFor()).as(said.toString()).isIn(0, 1, 143);
        }
    }

    private static void read(Process process, StringBuffer into) {
        try {
            process.getInputStream().transferTo(new OutputStream() {
                @Override
                public void write(int value) {
                    into.append((char) value);
                }
            });
            into.append(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            into.append(e.getMessage());
        }
    }

    private static LabCli packets(String card) throws Exception {
        return LabCli.call("pktgen", "--device", "dpdk:" + card, "--link-wait", "60s", "--rate", "100", "--duration",
                "3s", "--json");
    }

    private static long number(String json, String key) {
        return Long.parseLong(json.split("\"" + key + "\": ")[1].split("[,\n}]")[0].strip());
    }

    private static boolean hasDriver() throws Exception {
        try (Stream<Path> found = Files.walk(LIBRARIES, 3)) {
            return found.anyMatch(file -> file.getFileName().toString().startsWith("librte_net_e1000.so"));
        }
    }
}
