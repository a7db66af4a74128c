package dev.bascule.nic.lesson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.AddressSpace;
import dev.bascule.device.DeviceRemovedException;
import dev.bascule.device.DmaDirection;
import dev.bascule.device.Interrupt;
import dev.bascule.device.InterruptKind;
import dev.bascule.device.Iova;
import dev.bascule.device.MappableMemory;
import dev.bascule.device.Registers;
import dev.bascule.ffi.Signals;
import dev.bascule.junit.Cosim;
import dev.bascule.junit.CosimServer;
import dev.bascule.junit.Seed;
import dev.bascule.memory.DmaBuffer;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.Nics;
import dev.bascule.nic.PacketBatch;
import dev.bascule.vfiouser.VfioUserDevice;
import dev.bascule.vfiouser.VfioUserOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;

/** The lesson card's driver on the card itself, compiled from its Verilog. */
@Tag("cosim")
class LessonNicTest {
    private static final String CARD = "target/cosim/nic";
    private static final int SIGSTOP = 19;
    private static final int SIGCONT = 18;
    private static final long PATIENCE = 20_000_000_000L;

    /** Sends random frames and compares what comes back, in order and by the byte. */
    private static final class Traffic {
        private final Nic nic;
        private final SplittableRandom random;
        private final PacketBatch out = new PacketBatch(16);
        private final PacketBatch in = new PacketBatch(64);
        private final Deque<byte[]> sent = new ArrayDeque<>();

        Traffic(Nic nic, SplittableRandom random) {
            this.nic = nic;
            this.random = random;
        }

        void send(int frames) {
            nic.txQueue(0).allocate(out, frames);
            assertThat(out.size()).isEqualTo(frames);
            for (int i = 0; i < frames; i++) {
                byte[] frame = new byte[random.nextInt(14, nic.maxFrameBytes() + 1)];
                random.nextBytes(frame);
                MemorySegment.copy(frame, 0, out.memory().segment(), ValueLayout.JAVA_BYTE, out.offset(i),
                        frame.length);
                out.setLength(i, frame.length);
                sent.add(frame);
            }
            assertThat(nic.txQueue(0).write(out)).isEqualTo(frames);
            nic.txQueue(0).commit();
        }

        void receive() {
            assertThat(nic.rxQueue(0).await(PATIENCE)).as("a frame comes, of %d", sent.size()).isTrue();
            nic.rxQueue(0).poll(in);
            for (int i = 0; i < in.size(); i++) {
                assertThat(in.memory().segment().asSlice(in.offset(i), in.length(i)).toArray(ValueLayout.JAVA_BYTE))
                        .isEqualTo(sent.remove());
            }
            in.release();
        }

        void run(int frames) {
            for (int begun = 0; begun < frames || !sent.isEmpty();) {
                if (begun < frames && sent.size() <= 32) {
                    int burst = Math.min(frames - begun, random.nextInt(1, 17));
                    send(burst);
                    begun += burst;
                } else {
                    receive();
                }
            }
        }

        /** Frames on the way are lost with a stop. */
        void forget() {
            sent.clear();
        }
    }

    @Cosim(build = CARD)
    void framesComeBackByteByByte(Nic nic, SplittableRandom random) {
        nic.setMaxFrameBytes(1518);
        new Traffic(nic, random).run(2_000);
        assertThat(nic.statistics()).containsEntry("rx_packets", 2_000L).containsEntry("device_rx_frames", 2_000L)
                .containsEntry("device_tx_frames", 2_000L).containsEntry("rx_errors", 0L)
                .containsEntry("device_rx_dry", 0L).containsEntry("device_dma_refused", 0L);
        nic.check();
    }

    @Cosim(build = CARD)
    void aThreadSleepsUntilTheCardInterrupts(NicAdapter card, SplittableRandom random) {
        Nic nic = card.openPort(0, NicOptions.DEFAULTS.withInterrupts());
        nic.start();
        Traffic traffic = new Traffic(nic, random);
        assertThat(nic.rxQueue(0).await(1_000_000)).as("nothing was sent").isFalse();
        for (int i = 0; i < 200; i++) {
            traffic.run(1 + i % 3);
        }
    }

    @Cosim(build = CARD)
    void memoryWithoutADescriptorIsReachedByMessage(CosimServer server, SplittableRandom random) {
        try (NicAdapter card = Nics
                .open(VfioUserDevice.open(server.socket(), VfioUserOptions.DEFAULT.withSharedMemory(false)))) {
            Nic nic = card.openPort(0, NicOptions.DEFAULTS.withRingEntries(64));
            nic.start();
            new Traffic(nic, random).run(300);
        }
    }

    @Cosim(build = CARD)
    void aStopUnderLoadLosesWhatIsOnItsWayAndNothingElse(CosimServer server, NicAdapter card,
            SplittableRandom random) {
        Nic nic = card.openPort(0, NicOptions.DEFAULTS.withRingEntries(64));
        Traffic traffic = new Traffic(nic, random);
        for (int i = 0; i < 100; i++) {
            nic.start();
            traffic.run(random.nextInt(20));
            traffic.send(random.nextInt(1, 16));
            nic.stop();
            traffic.forget();
        }
        assertThat(nic.statistics()).containsEntry("device_dma_refused", 0L);
        assertThat(server.said()).doesNotContain("refused");
    }

    @Cosim(build = CARD)
    void itIsOpenedAndClosedUnderFlood(CosimServer server, SplittableRandom random) {
        for (int i = 0; i < 20; i++) {
            try (NicAdapter card = Nics.open(VfioUserDevice.open(server.socket()))) {
                Nic nic = card.openPort(0, NicOptions.DEFAULTS.withRingEntries(64));
                nic.start();
                Traffic traffic = new Traffic(nic, random);
                traffic.run(10);
                traffic.send(16);
            }
        }
        assertThat(server.said()).doesNotContain("refused");
    }

    @Cosim(build = CARD)
    void aKilledCardIsGoneAndANewOneServes(CosimServer server, SplittableRandom random) {
        for (int i = 0; i < 3; i++) {
            try (NicAdapter card = Nics.open(VfioUserDevice.open(server.socket()))) {
                Nic nic = card.openPort(0, NicOptions.DEFAULTS);
                nic.start();
                Traffic traffic = new Traffic(nic, random);
                traffic.run(20);
                traffic.send(16);
                server.kill();
                assertThatThrownBy(nic::check).isInstanceOf(DeviceRemovedException.class);
            }
            server.restart();
        }
    }

    @Cosim(build = CARD)
    void aKilledClientLeavesACardForTheNextOne(CosimServer server, SplittableRandom random) throws Exception {
        Process client = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"),
                "dev.bascule.cli.Main", "pktgen", "--device", server.socket().toString(), "--size", "1514")
                .redirectErrorStream(true).start();
        try {
            assertThat(client.inputReader().lines().anyMatch(line -> line.contains("received"))).as("it works")
                    .isTrue();
        } finally {
            client.destroyForcibly().waitFor();
        }
        try (NicAdapter card = Nics.open(VfioUserDevice.open(server.socket()))) {
            Nic nic = card.openPort(0, NicOptions.DEFAULTS);
            nic.start();
            new Traffic(nic, random).run(50);
        }
    }

    /** Stopped, the design's clock stands, and a wait of the driver's ends only by the connection's own limit. */
    @Cosim(build = CARD)
    void waitsCountTheDesignsTime(CosimServer server, SplittableRandom random) {
        try (VfioUserDevice device = VfioUserDevice.open(server.socket())) {
            long begin = device.nanoTime();
            while (device.nanoTime() - begin < 2_000_000) { // it goes on while nothing happens
                Thread.onSpinWait();
            }
            Signals.send(server.process().pid(), SIGSTOP);
            long stopped = device.nanoTime();
            long wall = System.nanoTime();
            while (System.nanoTime() - wall < 50_000_000) {
                assertThat(device.nanoTime() - stopped).as("time of a design that stands").isLessThan(10_000_000);
            }
            Signals.send(server.process().pid(), SIGCONT);
            long before = device.nanoTime();
            while (device.nanoTime() - before < 2_000_000) {
                Thread.onSpinWait();
            }
        }
        try (NicAdapter card = Nics.open(VfioUserDevice.open(server.socket()))) {
            Nic nic = card.openPort(0, NicOptions.DEFAULTS);
            nic.start();
            new Traffic(nic, random).run(64);
        }
    }

    @Cosim(build = CARD)
    void overlongFramesAreNotSent(Nic nic, SplittableRandom random) {
        PacketBatch batch = new PacketBatch(2);
        nic.txQueue(0).allocate(batch, 2);
        batch.setLength(0, nic.maxFrameBytes() + 1);
        batch.setLength(1, 13);
        assertThat(nic.txQueue(0).write(batch)).isZero();
        assertThat(batch.isEmpty()).isTrue();
        assertThat(nic.statistics()).containsEntry("tx_errors", 2L).containsEntry("device_tx_frames", 0L);
        new Traffic(nic, random).run(50);
    }

    /** The card inserts none, so the driver works the checksum out. */
    @Cosim(build = CARD)
    void aChecksumIsInsertedByTheDriver(Nic nic) {
        PacketBatch batch = new PacketBatch(1);
        nic.txQueue(0).allocate(batch, 1);
        batch.setLength(0, 60);
        batch.memory().segment().asSlice(batch.offset(0), 60).fill((byte) 1);
        batch.requestChecksum(0, 34, 40); // 13 words of 0x0101
        nic.txQueue(0).write(batch);
        nic.txQueue(0).commit();
        assertThat(nic.rxQueue(0).await(PATIENCE)).isTrue();
        assertThat(nic.rxQueue(0).poll(batch)).isEqualTo(1);
        assertThat(batch.memory().segment().asSlice(batch.offset(0) + 39, 4).toArray(ValueLayout.JAVA_BYTE))
                .containsExactly(1, ~13, ~13, 1);
        batch.release();
    }

    @Cosim(build = CARD)
    void framesForADryRingAreCountedAndTheNextOnesPass(NicAdapter card, SplittableRandom random) {
        Nic nic = card.openPort(0, NicOptions.DEFAULTS.withRingEntries(4));
        nic.start();
        Traffic traffic = new Traffic(nic, random);
        for (int i = 0; i < 3; i++) {
            traffic.send(4); // nobody polls: four fill the ring
            long until = System.nanoTime() + PATIENCE;
            while (nic.statistics().get("device_tx_frames") < 4 * (i + 1) && System.nanoTime() < until) {
                Thread.onSpinWait();
            }
        }
        long until = System.nanoTime() + PATIENCE;
        while (nic.statistics().get("device_rx_dry") < 8 && System.nanoTime() < until) {
            Thread.onSpinWait();
        }
        assertThat(nic.statistics()).containsEntry("device_rx_dry", 8L).containsEntry("device_rx_frames", 4L);
        traffic.receive();
        traffic.forget();
        for (int i = 0; i < 50; i++) {
            traffic.run(4);
        }
    }

    /** By hand, without the driver: what it never asks of the card. */
    @Cosim(build = CARD)
    void framesLongerThanTheirBufferAreCountedAndTheBufferStays(VfioUserDevice device, SplittableRandom random) {
        try (Bench bench = new Bench(device)) {
            bench.give(0x100, 0, 4096, 64); // 64 bytes of room
            bench.send(8192, 65);
            bench.await(0x1c, 1);
            bench.send(8192, 64);
            bench.await(0x14, 1);
            assertThat(bench.word(8)).as("length and phase").isEqualTo(1L << 56 | 64);
        }
    }

    @Cosim(build = CARD)
    void whatTheCardCannotSendIsCompletedWithAnError(VfioUserDevice device) {
        try (Bench bench = new Bench(device)) {
            for (int lengthBytes : new int[] { 0, 2049, -1 }) {
                bench.send(8192, lengthBytes);
            }
            bench.send(8193, 64); // no multiple of 8
            bench.send(1 << 20, 64); // not mapped; the server counts it
            bench.await(0x210, 5);
            for (int i = 0; i < 5; i++) {
                assertThat(bench.word(2048 + 16 * i + 8) >>> 32).as("descriptor %d", i).isEqualTo(1 << 24 | 1);
            }
            assertThat(bench.registers.read32(0x10)).as("frames sent").isZero();
            assertThat(bench.registers.read32(0x08)).as("enabled, idle, no fault").isEqualTo(3);
        }
    }

    @Cosim(build = CARD)
    void aMaskedVectorIsPendingUntilItIsUnmasked(VfioUserDevice device) {
        try (Bench bench = new Bench(device);
                Interrupt sent = device.openInterrupt(InterruptKind.MSIX, 1, null)) {
            bench.registers.write32(0x214, 0);
            sent.mask();
            bench.send(8192, 64);
            bench.await(0x210, 1);
            assertThat(sent.pending()).isTrue();
            assertThat(sent.poll()).isZero();
            sent.unmask();
            assertThat(sent.await(PATIENCE)).isEqualTo(1);
            assertThat(sent.pending()).isFalse();
            bench.send(8192, 64);
            bench.await(0x210, 2);
            assertThat(sent.poll()).as("it was armed once").isZero();
        }
    }

    @Cosim(build = CARD)
    @Seed({ 1, 2, 3 })
    void memoryComesAndGoesWhileTheCardRuns(CosimServer server, VfioUserDevice device, SplittableRandom random) {
        AddressSpace space = device.addressSpace();
        try (Bench bench = new Bench(device); DmaBuffer page = space.allocate("page", 4096)) {
            for (int i = 1; i <= 200; i++) {
                Iova iova = space.map(new MappableMemory(page.segment(), page.fileDescriptor(), 0), DmaDirection.BOTH);
                bench.sendAt(iova.value(), 64 + random.nextInt(1400));
                bench.await(0x210, i);
                space.unmap(iova);
            }
            assertThat(bench.registers.read32(0x20)).as("DMA refused").isZero();
        }
        assertThat(server.said()).doesNotContain("refused");
    }

    /** Rings of eight descriptors in memory of its own: receive at 0, send at 2048, buffers from 4096 on. */
    private static final class Bench implements AutoCloseable {
        private final VfioUserDevice device;
        private final Registers registers;
        private final DmaBuffer memory;
        private final long iova;
        private int sent;

        Bench(VfioUserDevice device) {
            this.device = device;
            registers = device.registers(0);
            memory = device.addressSpace().allocate("bench", 16384);
            iova = device.addressSpace()
                    .map(new MappableMemory(memory.segment(), memory.fileDescriptor(), 0), DmaDirection.BOTH).value();
            device.setBusMaster(true);
            base(0x100, 0);
            base(0x200, 2048);
            registers.write32(0x08, 1);
        }

        private void base(int block, long offset) {
            registers.write32(block, (int) (iova + offset));
            registers.write32(block + 4, (int) (iova + offset >>> 32));
            registers.write32(block + 8, 3);
        }

        void give(int block, int slot, long buffer, int lengthBytes) {
            describe(block == 0x100 ? 0 : 2048, slot, iova + buffer, lengthBytes);
            registers.write32(block + 0xc, slot + 1);
        }

        void send(long buffer, int lengthBytes) {
            sendAt(iova + buffer, lengthBytes);
        }

        void sendAt(long address, int lengthBytes) {
            describe(2048, sent & 7, address, lengthBytes);
            registers.write32(0x20c, ++sent & 0xFFFF);
        }

        private void describe(long ring, int slot, long address, int lengthBytes) {
            memory.segment().set(ValueLayout.JAVA_LONG, ring + 16L * slot, address);
            memory.segment().set(ValueLayout.JAVA_LONG, ring + 16L * slot + 8, lengthBytes & 0xFFFFFFFFL);
        }

        long word(long offset) {
            return memory.segment().get(ValueLayout.JAVA_LONG, offset);
        }

        void await(int register, int value) {
            long until = System.nanoTime() + PATIENCE;
            while (registers.read32(register) != value && System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            assertThat(registers.read32(register)).as("register 0x%x", register).isEqualTo(value);
        }

        @Override
        public void close() {
            device.reset();
            device.addressSpace().unmap(new Iova(iova));
            memory.close();
        }
    }
}
