package dev.bascule.host;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.region.Succession;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process of agents' ends, and sessions whose agents attach there. */
final class PuppetMaster implements AutoCloseable {
    final DataInputStream in;
    final DataOutputStream out;
    private final Process process;
    private int handles;

    PuppetMaster() {
        try {
            process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC", "-Xmx256m", "--enable-native-access=ALL-UNNAMED", "-cp",
                    System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                    AgentPuppet.class.getName()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        in = new DataInputStream(new BufferedInputStream(process.getInputStream()));
        out = new DataOutputStream(new BufferedOutputStream(process.getOutputStream()));
    }

    int nextHandle() {
        return ++handles;
    }

    /** A session whose host is here and whose agents are there. */
    TransportSession session(TransportSession own) {
        return new Session(own);
    }

    private final class Session implements TransportSession {
        private final TransportSession own;
        private final List<PuppetEnd> attached = new ArrayList<>();

        Session(TransportSession own) {
            this.own = own;
        }

        @Override
        public String name() {
            return own.name();
        }

        @Override
        public MechanismEnd openHost(EnclaveShape shape) {
            return own.openHost(shape);
        }

        @Override
        public PuppetEnd attach(int agent) {
            PuppetEnd end = new PuppetEnd(PuppetMaster.this, own.name(), own.directory(), agent);
            attached.add(end);
            return end;
        }

        @Override
        public Succession succeed(int agent) {
            return own.succeed(agent);
        }

        @Override
        public Path directory() {
            return own.directory();
        }

        @Override
        public void close() {
            attached.forEach(PuppetEnd::close);
            own.close();
        }
    }

    @Override
    public void close() {
        try {
            out.close();
            if (!process.waitFor(30, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new AssertionError("the agents' process did not end well");
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
