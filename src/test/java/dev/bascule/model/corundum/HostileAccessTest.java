package dev.bascule.model.corundum;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing a driver does throws or hangs: any offset, any width, any order, rings and descriptors full of garbage. */
@Timeout(120)
class HostileAccessTest {
    private static final int[] REGIONS = { 0, 0x10000, 0x80000, 0x81000, 0x83000, 0x100000, 0x180000, 0x200000,
            0x400000,
            0x600000, 0x800000, 0xA00000 };
    private static final int[] COMMANDS = { 0x80010000, 0x80020000, 0x80800000, 0x80900000, 0x80910000, 0xC0000000,
            0x40000100, 0x40000200 };

    private final DiscardingMemory memory = new DiscardingMemory();

    private static CorundumConfig config(int variant) {
        CorundumConfigBuilder builder = Rig.small().statistics(variant != 1).periodicOutputs(variant & 1)
                .tdma(variant == 2).flash(new CorundumFlash(
                        variant == 2 ? CorundumFlash.Kind.BPI : CorundumFlash.Kind.SPI, new byte[100]));
        return switch (variant) {
            case 1 -> builder.interfaces(2).ports(1).schedulers(4).build();
            case 2 -> builder.profile(CorundumProfile.DECEMBER_2023).ports(3).schedulers(1).msix(true).build();
            default -> builder.build();
        };
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 2 })
    void everyOffsetCanBeReadAndWrittenInEveryWidth(int variant) {
        CorundumDevice device = new CorundumDevice(config(variant), memory, vector -> {}, (p, d, o, l) -> {}, () -> 0,
                null);
        for (long at = 0; at < 1 << 24; at += at < 0x90000 ? 1 : 61) {
            int width = 1 << (at & 3);
            device.read(at, width);
            device.write(at, width, -1);
        }
        for (long at : new long[] { -1, -8, 1 << 24, (1 << 24) - 1, Long.MAX_VALUE, Long.MIN_VALUE, 0xFFFFFFFFFFL }) {
            for (int width : new int[] { 0, 1, 2, 3, 4, 5, 8, 9, -1 }) {
                device.read(at, width);
                device.write(at, width, 0x0123456789ABCDEFL);
            }
        }
        device.work(1000);
        assertThat(device.read(1 << 24, 4)).isZero();
    }

    @Test
    void wideAndUnalignedAccessesTouchEachWordOnce() {
        Rig rig = new Rig();
        rig.device.write(0x400000, 8, 0x00001234_56789000L);
        assertThat(rig.r(0x400000)).isEqualTo(0x56789000);
        assertThat(rig.r(0x400004)).isEqualTo(0x1234);
        assertThat(rig.device.read(0x400000, 8)).isEqualTo(0x00001234_56789000L);
        assertThat(rig.device.read(0x400001, 4)).isEqualTo(0x34567890L);
        assertThat(rig.device.read(0x400005, 1)).isEqualTo(0x12);
        rig.device.write(0x400003, 2, 0xAB77);
        assertThat(rig.r(0x400000)).isEqualTo(0x77789000);
        assertThat(rig.r(0x400004)).isEqualTo(0x12AB);
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3 })
    void randomDriversNeitherThrowNorHang(long seed) {
        runRandomDriver(seed, 15_000);
    }

    @Test
    @Tag("fuzz")
    @Timeout(3600)
    void manyMoreRandomDriversNeitherThrowNorHang() {
        for (long seed = 100; seed < 200; seed++) {
            runRandomDriver(seed, 60_000);
        }
    }

    private void runRandomDriver(long seed, int steps) {
        Random random = new Random(seed);
        memory.random = new Random(seed + 1);
        long[] nanos = new long[1];
        CorundumDevice[] self = new CorundumDevice[1];
        CorundumDevice device = new CorundumDevice(config((int) (seed % 3)), memory, vector -> {}, (port, data, offset,
                length) -> self[0].receive((port + 1) % self[0].config().allPorts(), data, offset, length),
                () -> nanos[0],
                null);
        self[0] = device;
        byte[] frame = new byte[2000];
        for (int i = 0; i < steps; i++) {
            if (i % 500 == 0) {
                openEverything(device, random);
            }
            long at = REGIONS[random.nextInt(REGIONS.length)] + (random.nextInt(8) == 0
                    ? random.nextInt(0x20000)
                    : random.nextInt(0x400));
            int value = random.nextInt(3) == 0
                    ? random.nextInt()
                    : COMMANDS[random.nextInt(COMMANDS.length)] | random.nextInt() >>> 16 + random.nextInt(14);
            switch (random.nextInt(10)) {
                case 0 -> device.read(at, 1 << random.nextInt(4));
                case 1 -> device.write(at, 1 << random.nextInt(4), random.nextLong());
                case 2 -> {
                    random.nextBytes(frame);
                    device.receive(random.nextInt(device.config().allPorts()), frame, 0, random.nextInt(frame.length));
                }
                case 3 -> {
                    nanos[0] += random.nextInt(100_000);
                    assertThat(device.work(50)).as("seed %d: a bounded call", seed).isLessThan(5000);
                }
                case 4 -> {
                    device.setLinkUp(0, random.nextBoolean());
                    device.setHoldTransmitReports(0, random.nextInt(4) == 0);
                    if (random.nextInt(2000) == 0) {
                        device.reset();
                    }
                }
                default -> device.write(at & ~3L, 4, value);
            }
        }
        drain(device, seed);
        assertThat(memory.accesses).as("seed %d: the device was kept busy", seed).isGreaterThan(1000);
    }

    /** Ports, schedulers and the first eight queues of every kind, with rings anywhere, so that there is something to hit. */
    private static void openEverything(CorundumDevice device, Random random) {
        int csr = (int) device.read(0x68, 4);
        for (int i = 0; i < device.config().interfaces(); i++) {
            long base = i * device.read(0x64, 4);
            for (int block = 0x40; block <= 0xA0; block += 0x20) {
                long queues = base + device.read(base + csr + block + 0xC, 4);
                long stride = device.read(base + csr + block + 0x14, 4);
                for (int queue = 0; queue < 8; queue++) {
                    long at = queues + queue * stride;
                    device.write(at + 8, 4, 0x40000100);
                    device.write(at, 8, random.nextLong());
                    device.write(at + 8, 4, 0x80020000 | random.nextInt(0x400));
                    device.write(at + 8, 4, 0xC0000000 | random.nextInt(8));
                    device.write(at + 8, 4, 0x40000101);
                    device.write(at + 8, 4, random.nextBoolean() ? 0x80800000 | random.nextInt(64) : 0x40000201);
                }
            }
            openTraffic(device, base, csr, random);
        }
    }

    private static void openTraffic(CorundumDevice device, long base, int csr, Random random) {
        int ports = device.config().ports();
        for (int port = 0; port < ports; port++) {
            long at = base + csr + 0x1010 + port * 0x1000L;
            device.write(at + 0x10, 4, 1);
            device.write(at + 0x14, 4, 1);
        }
        for (int scheduler = 0; scheduler < device.config().schedulers(); scheduler++) {
            long at = base + csr + 0x1010 + (ports + scheduler) * 0x1000L;
            long words = base + device.read(at + 0xC, 4);
            for (int queue = 0; queue < 8; queue++) {
                device.write(words + queue * 4, 4,
                        device.config().profile() == CorundumProfile.MAY_2024 ? 0x40000101 : 3);
            }
            device.write(at + 0x28, 4, 0x00FF0001);
            device.write(at + 0x2C, 4, random.nextInt(0x40000));
            device.write(at + 0x20, 4, 1);
            device.write(at + 0x18, 4, 1);
        }
    }

    /** Whatever was started comes to an end: at most 64 Ki slots of every queue, each sent and received. */
    private static void drain(CorundumDevice device, long seed) {
        CorundumConfig config = device.config();
        long bound = config.interfaces() * config.txQueues() * 65536L * 4;
        long steps = 0;
        for (int done = device.work(1 << 16); done != 0; done = device.work(1 << 16)) {
            steps += done;
            assertThat(steps).as("seed %d: does not come to rest", seed).isLessThan(bound);
        }
    }

    @Test
    void everyDriverStateSurvivesReset() {
        Rig rig = new Rig().ready();
        rig.transmit(0, Rig.frame(60), 0);
        rig.w(0x8002C, 100);
        rig.device.setHoldTransmitReports(0, true);
        rig.transmit(1, Rig.frame(60), 0);
        rig.device.reset();
        assertThat(rig.run()).isEmpty();
        Rig fresh = new Rig();
        for (long at = 0; at < 0x1000000; at += at < 0x110000 ? 4 : 52) {
            boolean clock = at >= 0x110 && at < 0x148;
            boolean ram = at >= 0x100000 && at < 0x800000; // queues and their table, see ResetTest
            if (!clock && !ram) {
                assertThat(rig.r(at)).as("0x%x", at).isEqualTo(fresh.r(at));
            }
        }
        rig.ready();
        assertThat(rig.transmit(0, Rig.frame(70), 0)).hasSize(70);
    }
}
