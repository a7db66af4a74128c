package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients that know nothing of this project call a Java service through a TAP interface of the kernel, the model of the NIC
 * and the lines: Debian's {@code rpcinfo} and one in Python.
 */
@Tag("rpc")
@Timeout(300)
class RpcInfoTest {
    private static final String NIC = "10.77.0.1";
    private static final int PROGRAM = 0x2000_4c42;

    @TempDir
    private Path folder = Path.of("");

    private record Said(int status, String text) {}

    private static Said run(String... words) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(List.of(words).toString()).isTrue();
        return new Said(process.exitValue(), text);
    }

    private static String rpcinfo() {
        return Stream.of("/usr/sbin/rpcinfo", "/usr/bin/rpcinfo",
                System.getProperty("bascule.buildDirectory", "target") + "/rpcbind/usr/sbin/rpcinfo")
                .filter(path -> Files.isExecutable(Path.of(path))).findFirst().orElse("");
    }

    @Test
    void rpcInfoAndPythonCallAJavaServiceThroughATapInterface() throws Exception {
        String name = "lauber" + ProcessHandle.current().pid() % 10_000;
        try (LauberhornServer server = server(LauberhornServer::new, name)) {
            callFromOutside(name);
            assertThat(server.end()).contains("\"lostOnTheWire\": 0", "\"dropped\": 0");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "wave", "swap" })
    void rpcInfoAndPythonCallAServiceBehindACardThatAnAgentSteers(String link) throws Exception {
        String name = "rpc" + ProcessHandle.current().pid() % 10_000;
        try (LauberhornServer server = server(LauberhornServer::steering, name, "--link", link)) {
            callFromOutside(name);
            assertThat(server.end()).contains("\"lostOnTheWire\": 0", "\"link\": \"" + link + "\"");
        }
    }

    /** Makes a server with these options. */
    private interface Start {
        LauberhornServer with(Path folder, String... options) throws IOException;
    }

    private LauberhornServer server(Start start, String name, String... more) throws IOException {
        assumeTrue(Files.isWritable(Path.of("/dev/net/tun")), "no TAP here: /dev/net/tun cannot be opened");
        assumeTrue(!rpcinfo().isEmpty(), "no rpcinfo here: apt-get install rpcbind");
        return start.with(folder, Stream
                .concat(Stream.of("--wire", "tap:" + name, "--address", NIC), Stream.of(more)).toArray(String[]::new));
    }

    private static void callFromOutside(String name) throws Exception {
        Said up = run("sh", "-c", "ip addr add 10.77.0.2/24 dev " + name + " && ip link set " + name + " up");
        assertThat(up.status).as(up.text).isZero();
        Said one = run(rpcinfo(), "-u", NIC, Integer.toString(PROGRAM), "1");
        assertThat(one).isEqualTo(new Said(0, "program " + PROGRAM + " version 1 ready and waiting\n"));
        Said all = run(rpcinfo(), "-u", NIC, "100000");
        assertThat(all.text).isEqualTo("program 100000 version 2 ready and waiting\n"
                + "program 100000 version 3 ready and waiting\nprogram 100000 version 4 ready and waiting\n");
        assertThat(run(rpcinfo(), "-u", NIC, "77777", "1").text).contains("Program not registered");
        assertThat(PythonClient.run(NIC)).isEqualTo(PythonClient.expected(700));
    }
}
