package dev.bascule.host;

import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.region.Protocol;
import dev.bascule.agent.region.Succession;
import dev.bascule.agent.region.AgentLinks;
import dev.bascule.agent.region.RegionLinks;
import dev.bascule.ring.Clock;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

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
    Session session(Session own) {
        Puppets puppets = new Puppets(own);
        return new Session(puppets, puppets);
    }

    /** Protocol and place of another session, but for its agents. */
    private final class Puppets implements Protocol, Place {
        private final Session own;
        private final List<PuppetEnd> attached = new ArrayList<>();

        Puppets(Session own) {
            this.own = own;
        }

        @Override
        public String name() {
            return own.name();
        }

        @Override
        public int kind() {
            return own.protocol().kind();
        }

        @Override
        public Sizes sizes(EnclaveShape shape) {
            return own.protocol().sizes(shape);
        }

        @Override
        public RegionLinks lay(Protocol protocol, EnclaveShape shape, @Nullable String damage) {
            return own.place().lay(own.protocol(), shape, damage);
        }

        @Override
        public void opened() {
            own.place().opened();
        }

        @Override
        public MechanismEnd host(RegionLinks links, EnclaveShape shape, Clock clock) {
            return own.protocol().host(links, shape, clock);
        }

        @Override
        public AgentLinks find(Protocol protocol, int agent) {
            return own.place().find(own.protocol(), agent);
        }

        @Override
        public PuppetEnd agent(AgentLinks links, int agent, long nonce) {
            PuppetEnd end = new PuppetEnd(PuppetMaster.this, own.name(), own.directory(), agent);
            attached.add(end);
            return end;
        }

        @Override
        public Succession successor(AgentLinks links, int agent, long nonce) {
            return own.protocol().successor(links, agent, nonce);
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
