package dev.bascule.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import dev.bascule.device.DeviceModel;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.loopback.LoopbackDevice;
import dev.bascule.model.Cables;
import dev.bascule.model.CountedWire;
import dev.bascule.model.WireEnd;
import dev.bascule.model.cndm.CndmCard;
import dev.bascule.model.cndm.CndmConfig;
import dev.bascule.model.cndm.proto.ProtoCard;
import dev.bascule.model.corundum.CorundumConfig;
import dev.bascule.model.corundum.CorundumModel;
import dev.bascule.model.edu.EduModel;
import dev.bascule.model.virtio.VirtioNetModel;
import dev.bascule.nic.corundum.CorundumAdapter;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class NicsTest {
    private static final long MAC = 0x0200_0000_0001L;

    private static CorundumModel corundum(WireEnd... wires) {
        return new CorundumModel(CorundumConfig.builder().ports(wires.length).build(), List.of(wires), true);
    }

    @Test
    void theIdPicksTheDriver() {
        try (NicAdapter card = Nics.open(LoopbackDevice.open(corundum(WireEnd.OPEN, WireEnd.OPEN)))) {
            assertThat(card).isInstanceOf(CorundumAdapter.class);
            assertThat(card.ports()).isEqualTo(2);
            card.setClockNanos(1_764_543_210_000_000_000L);
            assertThat(card.clockNanos().orElseThrow()).isGreaterThanOrEqualTo(1_764_543_210_000_000_000L);
        }
        try (NicAdapter card = Nics.open(LoopbackDevice.open(new VirtioNetModel(MAC, true)))) {
            assertThat(card.openPort(0, NicOptions.DEFAULTS).name()).startsWith("virtio-net ");
            assertThat(card.ports()).isEqualTo(1);
            assertThat(card.clockNanos()).isEmpty();
            assertThatThrownBy(() -> card.setClockNanos(5)).isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @Test
    void aCardWithoutDriverIsRefusedAndClosed() {
        LoopbackDevice edu = LoopbackDevice.open(new EduModel());
        assertThatThrownBy(() -> Nics.open(edu)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("no driver knows its id")
                .hasMessageContainingAll(ServiceLoader.load(NicDriver.class).stream().map(d -> d.get().name())
                        .toArray(CharSequence[]::new));
        assertThatThrownBy(edu::reset).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void theSameProgramRunsOnEveryCard() {
        for (DeviceModel model : List.<DeviceModel>of(
                new CndmCard(CndmConfig.MICRO.withPorts(1), List.of(new CountedWire(Cables.loopback()))),
                new ProtoCard(List.of(new CountedWire(Cables.loopback()))),
                corundum(Cables.loopback()),
                new VirtioNetModel(MAC, true))) {
            try (NicAdapter card = Nics.open(LoopbackDevice.open(model))) {
                Nic nic = card.openPort(0, NicOptions.DEFAULTS);
                nic.start();
                PacketBatch batch = new PacketBatch(4);
                assertThat(nic.txQueue(0).allocate(batch, 1)).isEqualTo(1);
                batch.setLength(0, 60);
                nic.txQueue(0).write(batch);
                nic.txQueue(0).commit();
                while (nic.rxQueue(0).poll(batch) == 0) {
                    assertThat(nic.rxQueue(0).await(5_000_000_000L)).as(card.name()).isTrue();
                }
                assertThat(batch.length(0)).isEqualTo(60);
                batch.release();
                card.check();
            }
        }
    }

    @Test
    void wishesBeyondTheCardGiveWhatItHas() {
        NicOptions wishes = NicOptions.DEFAULTS.withMaxFrameBytes(60_000).withRingEntries(1 << 20).withTimestamps();
        try (NicAdapter card = Nics.open(LoopbackDevice.open(corundum(WireEnd.OPEN)))) {
            Nic nic = card.openPort(0, wishes);
            assertThat(nic.maxFrameBytes()).isEqualTo(nic.capabilities().maxFrameBytes()).isGreaterThan(9000);
        }
        try (NicAdapter card = Nics.open(LoopbackDevice.open(new VirtioNetModel(MAC, true)))) {
            assertThat(card.openPort(0, wishes).maxFrameBytes()).isEqualTo(1518);
        }
    }

    @Test
    void queuesThatTheCardDoesNotHaveAreRefused() {
        try (NicAdapter card = Nics.open(LoopbackDevice.open(new VirtioNetModel(MAC, true)))) {
            assertThatThrownBy(() -> card.openPort(0, NicOptions.DEFAULTS.withQueues(2, 1)))
                    .isInstanceOf(DeviceException.class).hasMessageContaining("2 receive");
            assertThatThrownBy(() -> card.openPort(1, NicOptions.DEFAULTS))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            card.openPort(0, NicOptions.DEFAULTS);
            assertThatThrownBy(() -> card.openPort(0, NicOptions.DEFAULTS)).isInstanceOf(DeviceException.class);
        }
    }

    /** On the class path the file counts, on the module path the module's declaration. */
    @Test
    void theDriversOfTheFileAreThoseOfTheModule() throws Exception {
        List<String> loaded = ServiceLoader.load(NicDriver.class).stream().map(one -> one.type().getName()).sorted()
                .toList();
        try (InputStream file = Nics.class.getResourceAsStream("/META-INF/services/" + NicDriver.class.getName())) {
            assertThat(new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().sorted()).isEqualTo(loaded);
        }
        Path module = Path.of(Nics.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                .resolve("module-info.class");
        Assumptions.assumeTrue(Files.exists(module), "compiled without a module descriptor");
        try (InputStream file = Files.newInputStream(module)) {
            assertThat(ModuleDescriptor.read(file).provides())
                    .filteredOn(one -> one.service().equals(NicDriver.class.getName())).singleElement()
                    .satisfies(one -> assertThat(one.providers()).containsExactlyInAnyOrderElementsOf(loaded));
        }
    }

    private static Nic port(List<String> closed, String name, @Nullable DeviceException fails) {
        return (Nic) Proxy.newProxyInstance(Nic.class.getClassLoader(), new Class<?>[] { Nic.class },
                (self, method, arguments) -> {
                    closed.add(name + "." + method.getName());
                    if (fails != null) {
                        throw fails;
                    }
                    return null;
                });
    }

    @Test
    void eachPortOfACardIsClosedThoughAnotherFails() {
        List<String> closed = new ArrayList<>();
        LoopbackDevice device = LoopbackDevice.open(new VirtioNetModel(MAC, true));
        DeviceException first = new DeviceException("stop", "a", "it goes on", "reset it");
        List<Nic> ports = List.of(port(closed, "a", first),
                port(closed, "b", new DeviceException("stop", "b", "it goes on", "reset it")),
                port(closed, "c", new DeviceRemovedException("stop", "c")), port(closed, "d", null));
        assertThatThrownBy(() -> NicAdapter.closeAll(ports, device)).isSameAs(first);
        assertThat(closed).containsExactly("a.close", "b.close", "c.close", "d.close");
        assertThatThrownBy(() -> device.registers(0)).as("closed").isInstanceOf(RuntimeException.class);
    }
}
