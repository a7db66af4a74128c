package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A TAP interface in a network namespace of its own, in which the kernel sends nothing by itself, and a program in Python at
 * the kernel's end. One command, behind the interface or at its side, runs there.
 */
final class TapNamespace {
    static final String NAME = "tap0";
    /** The command of the test is behind the script's own arguments; the program is at work before it begins. */
    private static final String SCRIPT = """
            sysctl -qw net.ipv6.conf.default.disable_ipv6=1
            if [[ -n $5 ]]; then
                ip tuntap add dev "$1" mode $5
                ip link set "$1" up
            fi
            python3 src/test/resources/frames/tap.py "$1" "$2" "$3" > "$4" &
            peer=$!
            until [[ -s $4 ]]; do sleep 0.1; done
            interface=$1
            shift 5
            "$@" || status=$?
            ip link delete "$interface" 2>/dev/null || true
            wait $peer
            exit ${status:-0}
            """;

    private final Path folder;

    /** Keeps the frames of both directions in {@code folder}. */
    TapNamespace(Path folder) {
        this.folder = folder;
    }

    /** Skips the test where there is no such interface. */
    static void require() throws Exception {
        Assumptions.assumeTrue(Stream.of("unshare", "python3", "ip").allMatch(TapNamespace::isInstalled),
                "no unshare, python3 or ip here");
        Process namespace = new ProcessBuilder("unshare", "-n", "python3", "-c", "").start();
        Assumptions.assumeTrue(Files.isWritable(Path.of("/dev/net/tun")) && namespace.waitFor() == 0,
                "no TAP interface in a network namespace here: run as root, with python3");
    }

    private static boolean isInstalled(String program) {
        return Stream.concat(Stream.of("/usr/bin", "/usr/sbin", "/bin", "/sbin"),
                Stream.of(System.getenv("PATH").split(":")))
                .anyMatch(place -> Files.isExecutable(Path.of(place, program)));
    }

    /** Frames that the kernel's end sends once the interface is up. */
    void offer(List<byte[]> frames) throws IOException {
        Path written = folder.resolve("in.part");
        Files.write(written, frames.stream().map(HexFormat.of()::formatHex).toList());
        Files.move(written, folder.resolve("in.hex"), StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * Starts the command.
     *
     * @param out takes what it says
     * @param mode of the interface that is there before it, in the words of {@code ip tuntap}; empty: the command makes it
     */
    Process start(String mode, List<String> command, Path out) throws IOException {
        List<String> line = new ArrayList<>(List.of("unshare", "-n", "bash", "-euc", SCRIPT, "tap", NAME,
                folder.resolve("in.hex").toString(), folder.resolve("out.hex").toString(),
                folder.resolve("refused").toString(), mode));
        line.addAll(command);
        return new ProcessBuilder(line).redirectOutput(out.toFile()).redirectError(folder.resolve("err").toFile())
                .start();
    }

    /** Frames that came to the kernel's end, once the command has ended. */
    List<byte[]> came() throws IOException {
        return Files.readAllLines(folder.resolve("out.hex")).stream().map(HexFormat.of()::parseHex).toList();
    }

    /** How many of the frames offered the kernel did not take; what it took, the interface must have got. */
    int refused() throws IOException {
        String[] words = Files.readAllLines(folder.resolve("refused")).getLast().split(" ");
        assertThat(words).as("dropped before the interface had its queue").endsWith("dropped", "0");
        return Integer.parseInt(words[1]);
    }

    /** Words of the command on standard error. */
    String err() throws IOException {
        return Files.readString(folder.resolve("err"));
    }

    /** Whether the kernel's end sees a frame that comes: not one that ends within its VLAN tag. */
    static boolean isSeen(byte[] frame) {
        return frame.length >= 18 || frame[12] != (byte) 0x81 || frame[13] != 0;
    }
}
