package dev.bascule.vfiouser;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Fd;
import dev.bascule.ffi.Libc;
import dev.bascule.ffi.Linux;
import dev.bascule.ffi.NativeException;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicAdapter;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.Nics;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.corundum.CorundumAdapter;
import dev.bascule.nic.corundum.CorundumOptions;
import dev.bascule.nic.enso.EnsoConfig;
import dev.bascule.nic.enso.EnsoNic;
import dev.bascule.nic.enso.EnsoPacketNic;
import dev.bascule.nic.smartnic.SmartNicRegisters;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every model that {@code serve} offers, in a process of its own, against sequences of hostile messages and against drivers
 * whose memory is cut while the device uses it. After each one a well-behaved client counts its frames back. Under a heap
 * of 256 MiB a server's memory levels off at about 180 MiB, whatever the number of sequences.
 */
@SuppressWarnings("NullAway.Init")
class ServedModelsFuzzTest {
    private static final String[] MODELS = { "cndm", "cndm-proto", "corundum", "enso", "smartnic", "virtio" };
    private static final int FRAMES = 64;
    private static final int FRAME_BYTES = 128;
    private static final int MARK_AT = 64;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long ATTACK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    /** Sequences before the first measurement: classes, code and pools are there. */
    private static final int WARM_UP = 20;

    @TempDir
    private Path folder;

    private record Use(long descriptors, long threads, long mappings, long residentKib) {
        static Use of(Process server) throws IOException {
            Path proc = Path.of("/proc/" + server.pid());
            long threads = 0;
            long resident = 0;
            for (String line : Files.readAllLines(proc.resolve("status"))) {
                threads = line.startsWith("Threads:") ? Long.parseLong(line.substring(8).strip()) : threads;
                resident = line.startsWith("VmRSS:") ? Long.parseLong(line.replaceAll("[^0-9]", "")) : resident;
            }
            try (Stream<Path> open = Files.list(proc.resolve("fd"));
                    Stream<String> maps = Files.lines(proc.resolve("maps"))) {
                return new Use(open.count(), threads, maps.count(), resident);
            }
        }
    }

    @Test
    @Tag("process")
    void everyServedModelOutlivesSequencesOfFixedSeeds() throws Exception {
        for (String model : MODELS) {
            fuzz(model, 1, WARM_UP + 5, Long.MAX_VALUE);
        }
    }

    @Test
    @Tag("fuzz")
    void everyServedModelOutlivesSequencesOfNewSeeds() throws Exception {
        long share = TimeUnit.MINUTES.toNanos(Long.getLong("bascule.fuzzMinutes", 1)) / MODELS.length;
        for (String model : MODELS) {
            fuzz(model, ThreadLocalRandom.current().nextLong(1L << 40), Integer.MAX_VALUE, System.nanoTime() + share);
        }
    }

    private void fuzz(String model, long firstSeed, int sequences, long deadline) throws Exception {
        Path socket = folder.resolve(model);
        Path log = folder.resolve(model + ".log");
        Process server = serve(model, socket, log);
        long seed = firstSeed;
        long frames = 0;
        try {
            Use before = null;
            int done = 0;
            for (; done < sequences && (done <= WARM_UP || System.nanoTime() - deadline < 0); done++, seed++) {
                if (done == WARM_UP) {
                    before = Use.of(server);
                }
                attack(model, socket, seed);
                assertThat(server.isAlive()).as("%s seed %d: %s", model, seed, log).isTrue();
                frames += behave(model, socket, seed);
            }
            Use after = Use.of(server);
            System.out.printf("%s: seeds %d to %d, %d sequences, %d frames counted; before %s, after %s%n", model,
                    firstSeed, seed - 1, done, frames, before, after);
            assertThat(before).isNotNull();
            assertThat(after.descriptors).as("%s descriptors", model).isLessThanOrEqualTo(before.descriptors + 4);
            assertThat(after.threads).as("%s threads", model).isLessThanOrEqualTo(before.threads + 8);
            assertThat(after.mappings).as("%s mappings", model).isLessThanOrEqualTo(before.mappings + 200);
            assertThat(after.residentKib).as("%s KiB of memory", model)
                    .isLessThanOrEqualTo(2 * before.residentKib + (256 << 10));
        } catch (Throwable e) {
            System.out.println(model + " seed " + seed + "\n" + Files.readString(log).lines()
                    .skip(Math.max(0, Files.readString(log).lines().count() - 30)).toList());
            throw e;
        } finally {
            server.destroy();
            assertThat(server.waitFor(20, TimeUnit.SECONDS)).as("%s ends", model).isTrue();
        }
    }

    private static Process serve(String model, Path socket, Path log) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC", "-Xmx256m", "--enable-native-access=ALL-UNNAMED", "-cp",
                System.getProperty("java.class.path"), "dev.bascule.cli.Main", "serve", "--device",
                model.replace("-proto", ""), "--socket", socket.toString()));
        if (model.startsWith("cndm")) {
            command.addAll(List.of("--ports", "1", "--profile", model.equals("cndm") ? "micro" : "proto"));
        }
        if (model.equals("corundum")) {
            command.addAll(List.of("--ports", "1", "--queues", "64", "--link-delay", "0s"));
        }
        Process server = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (!Files.exists(socket)) {
            assertThat(server.isAlive() && System.nanoTime() - deadline < 0).as("%s", Files.readString(log)).isTrue();
            Thread.sleep(10);
        }
        return server;
    }

    private static void attack(String model, Path socket, long seed) throws Exception {
        if (model.equals("smartnic") || seed % 4 != 0) {
            new MessageAttack(seed).run(socket);
            return;
        }
        Thread driver = Thread.ofPlatform().daemon().start(() -> {
            try {
                withNic(model, socket, nic -> count(nic, seed, ATTACK_NANOS, () -> cutOneMemory(new Random(seed))));
            } catch (Throwable e) {
                // what becomes of a driver whose memory is gone is its own affair
            }
        });
        driver.join(TimeUnit.NANOSECONDS.toMillis(2 * PATIENCE_NANOS));
        assertThat(driver.isAlive()).as("seed %d: the driver waits", seed).isFalse();
    }

    /** Cuts memory files of this process, as an attacker cuts those of its driver, while the device uses them. */
    private static void cutOneMemory(Random random) {
        if (random.nextInt(3) != 0) {
            return;
        }
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            for (Path descriptor : open.toList()) {
                if (isOfADriver(descriptor)) {
                    try (Fd file = Libc.open(descriptor.toString(), Linux.O_RDWR)) {
                        file.truncate(0);
                    } catch (NativeException e) {
                        // sealed
                    }
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean isOfADriver(Path descriptor) {
        try {
            String target = Files.readSymbolicLink(descriptor).toString();
            return target.startsWith("/memfd:cndm") || target.startsWith("/memfd:corundum")
                    || target.startsWith("/memfd:enso")
                    || target.startsWith("/memfd:virtio") || target.startsWith("/memfd:packets");
        } catch (IOException e) {
            return false; // closed meanwhile
        }
    }

    /** Traffic of a client that means well; how many frames came back. */
    private static long behave(String model, Path socket, long seed) throws Exception {
        if (!model.equals("smartnic")) {
            long[] came = new long[1];
            withNic(model, socket, nic -> came[0] = count(nic, seed << 16, PATIENCE_NANOS, () -> {}));
            assertThat(came[0]).as("%s frames of a well-behaved client after seed %d", model, seed).isEqualTo(FRAMES);
            return came[0];
        }
        try (VfioUserDevice device = open(socket)) {
            device.registers(0).write32(SmartNicRegisters.SCRATCH, (int) seed);
            assertThat(device.registers(0).read32(SmartNicRegisters.SCRATCH)).isEqualTo((int) seed);
            MemorySegment frame = MemorySegment.ofArray(new long[] { seed });
            MemorySegment back = MemorySegment.ofArray(new long[1]);
            for (int i = 0; i < FRAMES; i++) {
                device.writeBar(2, 4096L * i, frame);
                device.readBar(2, 4096L * i, back);
                assertThat(back.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(seed);
            }
            return FRAMES;
        }
    }

    private static VfioUserDevice open(Path socket) throws Exception {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            try {
                return VfioUserDevice.open(socket);
            } catch (DeviceException e) { // the one before is being let go
                if (System.nanoTime() - deadline >= 0) {
                    throw e;
                }
            }
        }
    }

    private interface Act {
        void on(Nic nic) throws Exception;
    }

    private static void withNic(String model, Path socket, Act act) throws Exception {
        try (VfioUserDevice device = open(socket)) {
            switch (model) {
                case "corundum" -> {
                    try (CorundumAdapter adapter = CorundumAdapter.open(device)) {
                        act.on(adapter.openPort(0, CorundumOptions.DEFAULTS.withRingEntries(128)));
                    }
                }
                case "enso" -> {
                    try (EnsoPacketNic nic = new EnsoPacketNic(EnsoNic.open(device, EnsoConfig.DEFAULT), 1)) {
                        act.on(nic);
                    }
                }
                default -> {
                    try (NicAdapter card = Nics.open(device)) {
                        act.on(card.openPort(0, NicOptions.DEFAULTS));
                    }
                }
            }
        }
    }

    /** Sends marked frames and counts those that come back, each once; what others left on the wire is passed over. */
    private static long count(Nic nic, long mark, long patienceNanos, Runnable between) {
        nic.start();
        PacketBatch out = new PacketBatch(1);
        PacketBatch in = new PacketBatch(64);
        BitSet came = new BitSet();
        long deadline = System.nanoTime() + patienceNanos;
        int sent = 0;
        while (came.cardinality() < FRAMES && System.nanoTime() - deadline < 0) {
            if (sent < FRAMES && out.size() == 0 && nic.txQueue(0).allocate(out, 1) == 1) {
                frame(out, mark + sent);
            }
            if (out.size() > 0 && nic.txQueue(0).write(out) == 1) {
                sent++;
            }
            nic.txQueue(0).commit();
            between.run();
            nic.rxQueue(0).poll(in);
            for (int i = 0; i < in.size(); i++) {
                long index = in.length(i) < FRAME_BYTES
                        ? -1
                        : in.memory().segment().get(ValueLayout.JAVA_LONG_UNALIGNED, in.offset(i) + MARK_AT) - mark;
                if (index >= 0 && index < FRAMES) {
                    assertThat(came.get((int) index)).as("frame %d twice", index).isFalse();
                    came.set((int) index);
                }
            }
            in.release();
        }
        nic.stop();
        return came.cardinality();
    }

    private static void frame(PacketBatch out, long mark) {
        out.setLength(0, FRAME_BYTES);
        MemorySegment frame = out.memory().segment().asSlice(out.offset(0), FRAME_BYTES);
        frame.fill((byte) 0);
        frame.set(ValueLayout.JAVA_BYTE, 0, (byte) 2);
        frame.set(ValueLayout.JAVA_BYTE, 12, (byte) 8); // IPv4, UDP
        frame.set(ValueLayout.JAVA_BYTE, 14, (byte) 0x45);
        frame.set(ValueLayout.JAVA_BYTE, 17, (byte) (FRAME_BYTES - 14));
        frame.set(ValueLayout.JAVA_BYTE, 23, (byte) 17);
        frame.set(ValueLayout.JAVA_LONG_UNALIGNED, MARK_AT, mark);
    }
}
