package dev.bascule.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Two virtual machines that reach each other by soft-RoCE. One runs tests; this is the main program of the other, which
 * keeps an agent at work, as a service manager would, and does what the tests ask for by a line over TCP: {@code kill}
 * kills the agent, which is started again; {@code start} asks how many seconds the first took to listen; {@code end} ends
 * it all.
 */
public final class RdmaPair {
    /** Address of the machine with the tests. */
    public static final String HOST = "10.9.0.1";
    /** Address of the machine with the agent. */
    public static final String NIC = "10.9.0.2";
    private static final int CONTROL = 7400;
    private static final int CONNECT_MILLIS = 1_000;
    private static final long PATIENCE_NANOS = 200_000_000_000L;

    private RdmaPair() {}

    /** Writes a configuration for a side, with the secret of both beside it. */
    public static Path config(Path folder, String name, String peer) throws IOException {
        Path secret = folder.resolve("secret");
        if (!Files.exists(secret)) { // a side that runs may be reading it
            Files.writeString(secret, "known to both machines\n");
            Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        }
        return Files.writeString(folder.resolve(name + ".yaml"), """
                kind: rdma
                rdma: {name: %s, peer: %s, secretFile: "%s", stallLimit: 5 s}
                watchdog: {softWindow: 200 ms, hardLimit: 40 s}
                """.formatted(name, peer, secret));
    }

    /** The commands of Bascule in a JVM like this one. */
    public static List<String> command(String... words) {
        List<String> all = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m", "--enable-native-access=ALL-UNNAMED",
                "-Djdk.virtualThreadScheduler.parallelism=1", "-Djdk.virtualThreadScheduler.maxPoolSize=1",
                "-Dbascule.home=" + System.getProperty("bascule.home", "")));
        String cache = System.getProperty("bascule.aot", "");
        if (!cache.isEmpty()) {
            all.addAll(List.of("-XX:AOTCache=" + cache, "-Xlog:aot*=off,cds*=off"));
        }
        all.addAll(List.of("-cp", System.getProperty("java.class.path"), "dev.bascule.cli.Main"));
        all.addAll(List.of(words));
        return all;
    }

    /** An agent that listens at an address, as a service manager would start it. */
    public static List<String> agent(Path folder, String address) throws IOException {
        return command("agent", "--link", "rdma", "--listen", address, "--config",
                config(folder, "nic", "host").toString(), "--transport", "any", "--stay");
    }

    /** Asks the other machine; returns what it says. */
    public static String ask(String what) throws IOException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(NIC, CONTROL), CONNECT_MILLIS);
                new PrintWriter(socket.getOutputStream(), true).println(what);
                String answer = new BufferedReader(new InputStreamReader(socket.getInputStream())).readLine();
                return String.valueOf(answer);
            } catch (IOException e) {
                if (System.nanoTime() - deadline > 0) {
                    throw e; // it may still be booting, or the wire be cut
                }
            }
        }
    }

    /** Seconds that the agent's first process took from its start until it listened, at least 1. */
    public static long startSeconds() throws IOException {
        return Long.parseLong(ask("start"));
    }

    /** Passes on what an agent says, and counts down once it listens. */
    private static void pass(Process agent, CountDownLatch listens) {
        Thread.ofPlatform().daemon().start(() -> {
            try (BufferedReader said = agent.inputReader()) {
                for (String line = said.readLine(); line != null; line = said.readLine()) {
                    System.out.println(line);
                    if (line.contains("no host has called")) {
                        listens.countDown();
                    }
                }
            } catch (IOException e) {
                System.out.println("the agent's output ended: " + e.getMessage()); // with it
            }
        });
    }

    /** The other machine. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        ProcessBuilder agent = new ProcessBuilder(agent(Files.createTempDirectory("pair"), NIC))
                .redirectErrorStream(true);
        CountDownLatch listens = new CountDownLatch(1);
        long started = System.nanoTime();
        Process process = agent.start();
        pass(process, listens);
        listens.await();
        long startSeconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - started) + 1;
        try (ServerSocket listener = new ServerSocket(CONTROL, 4, InetAddress.getByName(NIC))) {
            while (true) {
                try (Socket socket = listener.accept()) {
                    String wanted = new BufferedReader(new InputStreamReader(socket.getInputStream())).readLine();
                    PrintWriter answer = new PrintWriter(socket.getOutputStream(), true);
                    if ("start".equals(wanted)) {
                        answer.println(startSeconds);
                        continue;
                    }
                    boolean was = process.isAlive();
                    process.destroyForcibly().waitFor();
                    answer.println(was ? wanted + "ed" : "it had ended by itself");
                    if ("end".equals(wanted)) {
                        return;
                    }
                    process = agent.start();
                    pass(process, listens);
                }
            }
        }
    }
}
