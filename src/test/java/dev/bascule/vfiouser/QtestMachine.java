package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A QEMU whose processor is this test: it does the accesses it is told over QEMU's qtest protocol, so no guest has to be
 * booted to see how a real virtual machine monitor uses a served device. The device is function 00:03.0.
 */
final class QtestMachine implements AutoCloseable {
    private static final long CONFIG = 0x8000_0000L | 3 << 11;

    private final Process process;
    private final BufferedReader in;
    private final PrintWriter out;

    private QtestMachine(Process process) {
        this.process = process;
        this.in = process.inputReader();
        this.out = new PrintWriter(process.outputWriter(), true);
    }

    /** Why there is no QEMU that is new enough, and none can be fetched; empty when there is one. */
    static String missing() throws IOException, InterruptedException {
        Process setUp = new ProcessBuilder(script(), "--set-up").redirectErrorStream(true).start();
        String told = new String(setUp.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        return setUp.waitFor() == 0 ? "" : told.strip();
    }

    /** Whether there is such a QEMU without fetching one. */
    static boolean isFetched() throws IOException, InterruptedException {
        return new ProcessBuilder(script(), "--check").redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
    }

    private static String script() {
        return Path.of(System.getProperty("bascule.baseDirectory", "")).toAbsolutePath().resolve("scripts/lab-qemu")
                .toString();
    }

    /** A machine with 64 MiB and the device served at the socket. */
    static QtestMachine start(Path socket) throws IOException {
        List<String> words = new ArrayList<>(List.of(script(), "-accel", "qtest", "-machine",
                "q35,memory-backend=mem", "-object", "memory-backend-memfd,id=mem,size=64M,share=on", "-m", "64M",
                "-nodefaults", "-display", "none", "-qtest", "stdio", "-qtest-log", "/dev/null", "-device",
                "{\"driver\":\"vfio-user-pci\",\"addr\":\"03.0\",\"socket\":{\"type\":\"unix\",\"path\":\"" + socket
                        + "\"}}"));
        return new QtestMachine(new ProcessBuilder(words).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    /** Sends a command; the answer after OK. */
    String tell(String command) throws IOException {
        out.println(command);
        String line = String.valueOf(in.readLine());
        assertThat(line).as(command).startsWith("OK");
        return line.substring(2).strip();
    }

    /** Loads 1, 2, 4 or 8 bytes at a physical address. */
    long load(long address, int width) throws IOException {
        return Long.parseUnsignedLong(tell("read%s 0x%x".formatted(letter(width), address)).substring(2), 16);
    }

    /** Stores 1, 2, 4 or 8 bytes at a physical address. */
    void store(long address, int width, long value) throws IOException {
        tell("write%s 0x%x 0x%x".formatted(letter(width), address, value));
    }

    private static String letter(int width) {
        return switch (width) {
            case 1 -> "b";
            case 2 -> "w";
            case 4 -> "l";
            default -> "q";
        };
    }

    void fill(long address, byte[] bytes) throws IOException {
        tell("write 0x%x 0x%x 0x%s".formatted(address, bytes.length, HexFormat.of().formatHex(bytes)));
    }

    byte[] bytes(long address, int length) throws IOException {
        return HexFormat.of().parseHex(tell("read 0x%x 0x%x".formatted(address, length)).substring(2));
    }

    long config(int offset) throws IOException {
        tell("outl 0xcf8 0x%x".formatted(CONFIG | offset & ~3));
        return Long.parseUnsignedLong(tell("inl 0xcfc").substring(2), 16) & 0xffff_ffffL;
    }

    void config(int offset, long value) throws IOException {
        tell("outl 0xcf8 0x%x".formatted(CONFIG | offset & ~3));
        tell("outl 0xcfc 0x%x".formatted(value));
    }

    /** Writes all ones to a base address register, reads what is writable, and sets the address. */
    long sizeAndPlace(int bar, long address) throws IOException {
        int at = 0x10 + 4 * bar;
        config(at, 0xffff_ffffL);
        long mask = config(at) & ~0xfL;
        config(at, address);
        return (~mask & 0xffff_ffffL) + 1;
    }

    void kill() throws InterruptedException {
        process.destroyForcibly();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
