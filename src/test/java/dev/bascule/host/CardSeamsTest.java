package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.MechanismEnd;
import dev.bascule.agent.Message;
import dev.bascule.agent.MessageType;
import dev.bascule.device.DeviceException;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.memory.ScratchFolder;
import dev.bascule.model.smartnic.SmartNicConfig;
import dev.bascule.model.smartnic.SmartNicModel;
import dev.bascule.model.smartnic.SmartNicRegion;
import dev.bascule.wave.WaveOptions;
import dev.bascule.wave.WaveProtocol;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The ways by which a card's own cores reach its region, as configurations name them. */
class CardSeamsTest {
    private static final EnclaveShape SHAPE = EnclaveShape.of(2, 16);
    /** Where the card's memory begins in its file. */
    private static final String MEMORY = "offset: 0x4000, length: 4 MiB";

    private final ScratchFolder scratch = Session.newRunDirectory(); // on a memory file system, as run directories are
    private final Path folder = scratch.path();

    private SmartNicRegion region = SmartNicRegion.inProcess(SmartNicConfig.DEFAULT);

    @AfterEach
    void close() {
        region.close();
        scratch.close();
    }

    /** A session of the host and its agent on a card whose memory is a file of the folder. */
    private Session session(String config) throws Exception {
        region.close();
        region = SmartNicRegion.create(Files.createDirectories(folder.resolve("card")), SmartNicConfig.DEFAULT);
        Path yaml = Files.writeString(folder.resolve("card.yaml"),
                "kind: pci\ndevice: {ids: \"1234:ba5c\", driver: smartnic, seen: simulated}\n"
                        + config.replace("FOLDER", folder.toString()));
        CardPlace.assign(folder, new CardEnd.Function("card", yaml.toString()),
                new CardEnd.Cores(yaml.toString(), ""));
        return new Session(new WaveProtocol(WaveOptions.ALL), new CardPlace(folder, false, true,
                (device, writeCombining) -> LoopbackDevice.open(new SmartNicModel(region))));
    }

    private static void assertMessagesArrive(Session session) {
        MechanismEnd host = session.openHost(SHAPE);
        AgentEnd agent = session.attach(0);
        agent.ready();
        assertThat(host.isReady(0)).isTrue();
        Message message = new Message();
        message.set(MessageType.TASK_NEW, host.epoch(), 1, 3);
        assertThat(host.post(0, message)).isTrue();
        host.commit();
        Message seen = new Message();
        assertThat(agent.peek(seen)).isTrue();
        assertThat(seen.task()).isEqualTo(3);
        assertThat(session.objection()).isEmpty();
    }

    @Test
    void aFileWithHostMemoryInTheBar() throws Exception {
        try (Session session = session("""
                region: {hostMemory: bar}
                cores: {memory: file, path: "FOLDER/card/nic.mem", %s}
                """.formatted(MEMORY))) {
            assertMessagesArrive(session);
        }
    }

    @Test
    void aWindowThroughWhichTheCoresSeeHostMemory() throws Exception {
        try (Session session = session("""
                cores: {memory: file, path: "FOLDER/card/nic.mem", %s}
                window: {path: "FOLDER/host.mem", offset: 0, length: 1 MiB, base: 0x100000000}
                """.formatted(MEMORY))) {
            assertMessagesArrive(session);
        }
    }

    @Test
    void aWindowThatDoesNotShowTheHostsAddressIsSaidToBothEnds() throws Exception {
        try (Session session = session("""
                cores: {memory: file, path: "FOLDER/card/nic.mem", %s}
                window: {path: "FOLDER/host.mem", offset: 0, length: 1 MiB, base: 0x40000000}
                """.formatted(MEMORY))) {
            session.openHost(SHAPE);
            assertThatThrownBy(() -> session.attach(0)).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("iova 0x100000000").hasMessageContaining("window.base");
            assertThat(session.objection()).contains("do not reach host memory");
        }
    }

    @Test
    void aWindowOnOtherMemoryIsFoundOutBeforeAnythingIsWrittenThere() throws Exception {
        Files.write(folder.resolve("other"), new byte[1 << 20]);
        try (Session session = session("""
                cores: {memory: file, path: "FOLDER/card/nic.mem", %s}
                window: {path: "FOLDER/other", offset: 0, length: 1 MiB, base: 0x100000000}
                """.formatted(MEMORY))) {
            session.openHost(SHAPE);
            assertThatThrownBy(() -> session.attach(0)).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("its first word is 0x0, not the one that the host has put there");
            assertThat(session.objection()).contains("other memory").contains("window.base");
            assertThat(Files.readAllBytes(folder.resolve("other"))).containsOnly(0);
        }
    }

    @Test
    void aWindowWhoseFileIsNotThereIsSaidToBothEnds() throws Exception {
        try (Session session = session("""
                cores: {memory: file, path: "FOLDER/card/nic.mem", %s}
                window: {path: "FOLDER/absent.mem", offset: 0, length: 1 MiB, base: 0x100000000}
                """.formatted(MEMORY))) {
            session.openHost(SHAPE);
            assertThatThrownBy(() -> session.attach(0)).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("absent.mem").hasMessageContaining("ENOENT");
            assertThat(session.objection()).contains("do not reach host memory");
        }
    }

    @Test
    void coresThatDoNotCacheTheirMemoryDecideAsWell() throws Exception {
        try (Session session = session("""
                region: {hostMemory: bar}
                cores: {memory: file, path: "FOLDER/card/nic.mem", %s, cached: false}
                """.formatted(MEMORY))) {
            assertMessagesArrive(session);
        }
    }

    @Test
    void aFileThatIsTooShortIsRefused() throws Exception {
        try (Session session = session("""
                region: {hostMemory: bar}
                cores: {memory: file, path: "FOLDER/card.yaml", offset: 0x4000, length: 4 MiB}
                """)) {
            session.openHost(SHAPE);
            assertThatThrownBy(() -> session.attach(0)).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("lies outside").hasMessageContaining("cores.offset");
        }
    }

    @Test
    void anAgentThatComesFirstFindsNoHost() throws Exception {
        try (Session session = session("""
                region: {hostMemory: bar}
                cores: {memory: file, path: "FOLDER/card/nic.mem", %s}
                """.formatted(MEMORY))) {
            assertThatThrownBy(() -> session.attach(0)).hasMessageContaining("start the host first");
        }
    }

    @Test
    void aSharedMemoryObjectThatAVendorsLibraryGives() throws Exception {
        Path library = folder.resolve("libcard.so");
        Process compiler;
        try {
            compiler = new ProcessBuilder("cc", "-O2", "-Wall", "-Wextra", "-fPIC", "-shared", "-o", library.toString(),
                    Path.of(System.getProperty("bascule.baseDirectory", ""), "native/card/shm.c").toString(), "-lrt")
                    .redirectErrorStream(true).start();
        } catch (IOException e) {
            Assumptions.abort("no C compiler: " + e.getMessage());
            return;
        }
        String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(compiler.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(said).isEmpty();
        Path object = Path.of("/dev/shm/bascule-card-" + ProcessHandle.current().pid());
        try (Session session = session("""
                region: {hostMemory: bar}
                cores: {memory: library, path: "FOLDER/libcard.so", argument: "/%s", %s}
                """.formatted(object.getFileName(), MEMORY))) {
            assertThatThrownBy(() -> session.attach(0)).as("no such object yet").isInstanceOf(DeviceException.class)
                    .hasMessageContaining("ENOENT");
            Files.createLink(object, folder.resolve("card/nic.mem"));
            assertMessagesArrive(session);
        } finally {
            Files.deleteIfExists(object);
        }
    }

    @Test
    void aLibraryWithoutTheFunctionIsNamed() throws Exception {
        for (String library : List.of("FOLDER/absent.so", "libc.so.6")) {
            try (Session session = session("""
                    region: {hostMemory: bar}
                    cores: {memory: library, path: "%s"}
                    """.formatted(library))) {
                session.openHost(SHAPE);
                assertThatThrownBy(() -> session.attach(0)).isInstanceOf(DeviceException.class)
                        .hasMessageContaining("bascule_card.h");
            }
        }
    }
}
