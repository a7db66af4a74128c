package dev.bascule.nic.dpdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.bascule.app.Capture;
import dev.bascule.app.Echo;
import dev.bascule.device.DeviceException;
import dev.bascule.ffi.DpdkLibrary;
import dev.bascule.nic.Nic;
import dev.bascule.nic.NicOptions;
import dev.bascule.nic.PacketBatch;
import dev.bascule.nic.PacketPipes;
import dev.bascule.nic.PacketWriter;
import dev.bascule.nic.ProcessorLoop;
import dev.bascule.nic.RxTxPipe;
import dev.bascule.nic.TxPipe;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.jspecify.annotations.Nullable;

/** DPDK's virtual ports: a ring that gives back what it gets, a null port, a port on pcap files. One per process. */
@Tag("dpdk")
class DpdkTest {
    @TempDir
    static Path folder;

    private static @Nullable DpdkEal eal;

    private static List<String> found = List.of();

    private static final String TAP = "bascule-rss0";
    private static final String ALL = "bascule-all0";
    private static final String OWN = "bascule-own0";
    /** A ring that is told to be on socket 0; the others are on any. */
    private static final String ON_SOCKET = "r7";

    private final PacketBatch batch = new PacketBatch(64);

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(DpdkEal.missing().isEmpty(), () -> DpdkEal.missing().orElse(""));
        Path in = folder.resolve("in.pcap");
        try (Capture capture = new Capture(in, () -> 1_700_000_000_123_456_789L)) {
            for (int i = 0; i < 10; i++) {
                byte[] frame = frame(60 + 100 * i, i);
                capture.process(MemorySegment.ofArray(frame), 0, frame.length);
            }
        }
        List<String> arguments = new ArrayList<>(List.of("--no-huge", "-m", "192", "--no-pci", "--no-telemetry",
                "--no-shconf", "--lcores",
                "0@(0-" + (Runtime.getRuntime().availableProcessors() - 1) + ")", "--log-level", "lib.eal:warning",
                "--vdev=net_ring0", "--vdev=net_ring1", "--vdev=net_ring2", "--vdev=net_ring3", "--vdev=net_null0",
                "--vdev=net_null1,copy=1", "--vdev=net_null2", "--vdev=net_ring4", "--vdev=net_ring5",
                "--vdev=net_ring6", "--vdev=net_ring7,nodeaction=" + ON_SOCKET + ":0:CREATE", "--vdev=net_null3",
                "--vdev=net_pcap0,rx_pcap=" + in + ",tx_pcap=" + folder.resolve("out.pcap")));
        if (TapFlows.possible()) {
            arguments.add("--vdev=net_tap0,iface=" + TAP);
            arguments.add("--vdev=net_tap1,iface=" + ALL);
            arguments.add("--vdev=net_tap2,iface=" + OWN);
        }
        eal = DpdkEal.start(arguments);
        found = eal().ports();
    }

    @AfterAll
    static void stop() {
        if (eal != null) {
            eal.close();
            assertThatThrownBy(() -> DpdkEal.start(List.of())).isInstanceOf(DeviceException.class)
                    .hasMessageContaining("once per process");
        }
    }

    private static DpdkEal eal() {
        DpdkEal running = eal;
        if (running == null) {
            throw new AssertionError("DPDK does not run");
        }
        return running;
    }

    private static byte[] frame(int lengthBytes, int fill) {
        byte[] frame = new byte[lengthBytes];
        Arrays.fill(frame, (byte) fill);
        frame[12] = 8;
        frame[13] = 0;
        frame[16] = (byte) (lengthBytes - 14 >>> 8);
        frame[17] = (byte) (lengthBytes - 14);
        return frame;
    }

    private static DpdkNic open(String name) {
        DpdkNic nic = eal().open(name, new DpdkOptions(1, 256, 1023, 2048, false));
        nic.start();
        return nic;
    }

    private void send(DpdkNic nic, int count) {
        assertThat(nic.txQueue(0).allocate(batch, count)).isEqualTo(count);
        for (int i = 0; i < count; i++) {
            byte[] frame = frame(60 + i, i);
            MemorySegment.copy(MemorySegment.ofArray(frame), 0, batch.memory().segment(), batch.offset(i),
                    frame.length);
            batch.setLength(i, frame.length);
        }
        assertThat(nic.txQueue(0).write(batch)).isEqualTo(count);
        assertThat(nic.txQueue(0).commit()).isEqualTo(count);
    }

    @Test
    void versionAndPortsAreTold() {
        assertThat(eal().version()).startsWith("DPDK 2");
        assertThat(found).contains("net_ring0", "net_null0", "net_pcap0");
        assertThatThrownBy(() -> eal().open("net_none", DpdkOptions.DEFAULT)).isInstanceOf(DeviceException.class)
                .hasMessageContaining("net_none").hasMessageContaining("DPDK has [");
    }

    @Test
    void aRingGivesBackWhatItGets() {
        try (DpdkNic nic = open("net_ring0")) {
            send(nic, 40);
            assertThat(nic.rxQueue(0).await(1_000_000_000)).isTrue();
            assertThat(nic.rxQueue(0).poll(batch)).isEqualTo(40);
            for (int i = 0; i < 40; i++) {
                assertThat(batch.length(i)).isEqualTo(60 + i);
                assertThat(batch.memory().segment().get(ValueLayout.JAVA_BYTE, batch.offset(i) + 59 + i))
                        .isEqualTo((byte) i);
            }
            batch.release();
            assertThat(nic.statistics()).containsEntry("tx_packets", 40L).containsEntry("rx_packets", 40L)
                    .containsEntry("device_rx_packets", 40L);
            assertThat(nic.statistics().keySet()).anyMatch(key -> key.startsWith("device_x_"));
            assertThat(nic.link().up()).isTrue();
            nic.check();
            assertThat(nic.rxQueue(0).poll(batch)).isZero();
            assertThat(nic.rxQueue(0).await(1000)).isFalse();
        }
    }

    @Test
    void packetsGoRoundWithoutLossOrLeak() {
        try (DpdkNic nic = open("net_ring1")) {
            ProcessorLoop loop = new ProcessorLoop(nic.rxQueue(0), nic.txQueue(0), new Echo(), 32);
            send(nic, 32);
            for (int i = 0; i < 10_000; i++) {
                assertThat(loop.run()).isEqualTo(32);
            }
            assertThat(loop.processed()).isEqualTo(320_000);
            assertThat(nic.rxQueue(0).poll(batch)).isEqualTo(32);
            batch.release();
            for (int i = 0; i < 15; i++) { // the whole pool is there again, whatever went round
                assertThat(nic.txQueue(0).allocate(batch, 64)).isEqualTo(64);
                batch.release();
            }
        }
    }

    @Test
    void whatThePortHasNoRoomForWaitsAndIsTriedAgain() {
        try (DpdkNic nic = eal().open("net_ring6", new DpdkOptions(1, 256, 2047, 2048, false))) {
            nic.start();
            List<Long> sent = new ArrayList<>();
            nic.txQueue(0).onSent((number, timestamp) -> sent.add(number));
            for (int i = 0; i < 18; i++) { // 1152 packets, of which the port takes 1023
                send(nic, 64);
            }
            assertThat(nic.txQueue(0).inFlight()).isEqualTo(1152 - 1023);
            assertThat(nic.txQueue(0).reclaim()).isZero();
            int came = 0;
            for (int got = 1; got > 0; came += got) {
                got = nic.rxQueue(0).poll(batch);
                batch.release();
                nic.txQueue(0).reclaim();
            }
            assertThat(came).isEqualTo(1152);
            assertThat(sent).isEqualTo(LongStream.range(0, 1152).boxed().toList());
            assertThat(nic.txQueue(0).commit()).as("nothing written since").isZero();
            assertThat(nic.statistics()).containsEntry("tx_packets", 1152L).containsEntry("rx_packets", 1152L);
        }
    }

    @Test
    void aNullPortMakesAndTakesPackets() {
        try (DpdkNic nic = open("net_null0")) {
            eal().registerThread();
            ProcessorLoop loop = new ProcessorLoop(nic.rxQueue(0), nic.txQueue(0), (memory, offset, length) -> length,
                    64);
            for (int i = 0; i < 1000; i++) {
                assertThat(loop.run()).isEqualTo(64);
            }
            assertThat(loop.noRoom()).isZero();
            assertThat(nic.statistics()).containsEntry("rx_bytes", 64_000L * 64);
        }
    }

    @Test
    void aDroppingLoopGivesPacketsBack() {
        try (DpdkNic nic = open("net_null1")) {
            ProcessorLoop loop = new ProcessorLoop(nic.rxQueue(0), nic.txQueue(0), (memory, offset, length) -> 0, 64);
            for (int i = 0; i < 1000; i++) { // many times the pool
                assertThat(loop.run()).isEqualTo(64);
            }
            assertThat(nic.statistics()).containsEntry("tx_packets", 0L);
        }
    }

    /** The null port spreads nothing; it takes the configuration and tells it. */
    @Test
    void receiveSideScalingIsConfiguredOverAllQueues() {
        DpdkOptions options = new DpdkOptions(1, 256, 1023, 2048, false).withQueues(2);
        try (DpdkNic nic = eal().open("net_null2", options); Arena arena = Arena.ofConfined()) {
            assertThat(nic.capabilities().receiveSideScaling()).isTrue();
            assertThat(nic.rxQueues()).isEqualTo(2);
            nic.start();
            MemorySegment hash = arena.allocate(64, 8); // rte_eth_rss_conf: key, its length, flow types
            assertThat((int) eal().library().call("rte_eth_dev_rss_hash_conf_get",
                    DpdkLibrary.word(found.indexOf("net_null2")), hash)).isZero();
            for (long types : new long[] { DpdkLayout.RSS_IP, DpdkLayout.RSS_TCP, DpdkLayout.RSS_UDP }) {
                assertThat(hash.get(ValueLayout.JAVA_LONG, 16) & types).as("addresses, and ports").isEqualTo(types);
            }
            for (int queue = 0; queue < 2; queue++) {
                assertThat(nic.rxQueue(queue).poll(batch)).isEqualTo(64);
                batch.release();
            }
            assertThat(nic.statistics()).containsEntry("rx_queue_0_packets", 64L)
                    .containsEntry("rx_queue_1_packets", 64L);
        }
    }

    /** A TAP port has a queue of the kernel's for each of its own; the kernel spreads flows over them by their hash. */
    @Test
    void flowsAreSpreadOverTheQueuesOfAPort() throws Exception {
        assumeTrue(found.contains("net_tap0"), "no TAP port: needs root, /dev/net/tun and IPv6");
        try (DpdkNic nic = eal().open("net_tap0", new DpdkOptions(1, 256, 1023, 2048, false).withQueues(2))) {
            nic.start();
            Map<Integer, Integer> queues = new TreeMap<>();
            TapFlows.send(TAP, 32, 3);
            int packets = 0;
            for (int queue = 0; queue < 2; queue++) {
                while (nic.rxQueue(queue).poll(batch) > 0) {
                    for (int i = 0; i < batch.size(); i++) {
                        int flow = TapFlows.flow(batch.memory().segment(), batch.offset(i), batch.length(i));
                        packets += flow < 0 ? 0 : 1;
                        assertThat(flow < 0 ? null : queues.put(flow, queue)).isIn(null, queue);
                    }
                    batch.release();
                }
            }
            assertThat(packets).isEqualTo(32 * 3);
            assertThat(queues).hasSize(32).containsValues(0, 1);
        }
    }

    /** What an application makes longer or shorter, the port gets so; what it made empty is given back. */
    @Test
    void changedLengthsReachThePort() {
        try (DpdkNic nic = open("net_ring5")) {
            send(nic, 3);
            assertThat(nic.rxQueue(0).poll(batch)).isEqualTo(3);
            batch.setLength(0, 70);
            batch.setLength(1, 0);
            assertThat(nic.txQueue(0).write(batch)).isEqualTo(2);
            nic.txQueue(0).commit();
            assertThat(nic.rxQueue(0).poll(batch)).isEqualTo(2);
            assertThat(batch.length(0)).isEqualTo(70);
            assertThat(batch.length(1)).isEqualTo(62);
            batch.release();
        }
    }

    @Test
    void pcapFilesAreReadAndWritten() throws Exception {
        try (DpdkNic nic = open("net_pcap0")) {
            int got = nic.rxQueue(0).poll(batch);
            assertThat(got).isEqualTo(10);
            assertThat(batch.length(9)).isEqualTo(960);
            assertThat(batch.memory().segment().get(ValueLayout.JAVA_BYTE, batch.offset(3) + 30)).isEqualTo((byte) 3);
            nic.txQueue(0).write(batch);
            nic.txQueue(0).commit();
        }
        assertThat(Files.size(folder.resolve("out.pcap"))).isEqualTo(24 + 10 * 16 + (60 + 960) * 5);
    }

    @Test
    void pipesRunOnAPort() {
        try (DpdkNic nic = eal().open("net_ring2", DpdkOptions.DEFAULT)) {
            nic.start();
            try (PacketPipes pipes = new PacketPipes(nic.rxQueue(0), nic.txQueue(0), 1 << 16)) {
                RxTxPipe in = pipes.openFallbackRxTx();
                TxPipe out = pipes.openTx();
                byte[] frame = frame(100, 5);
                MemorySegment.copy(MemorySegment.ofArray(frame), 0, out.memory(), out.offset(), 100);
                assertThat(out.send(128)).isEqualTo(128);
                assertThat(in.peek()).isEqualTo(128);
                in.confirm(128);
                assertThat(in.sendAndFree(128)).isEqualTo(128);
                assertThat(in.peek()).isEqualTo(128);
                assertThat(in.memory().get(ValueLayout.JAVA_BYTE, in.offset() + 99)).isEqualTo((byte) 5);
                assertThat(pipes.copiedBytes()).isEqualTo(400);
                in.clear();
            }
        }
    }

    @Test
    void anEmptyPoolIsANumberAndBadUseIsTold() {
        try (DpdkNic nic = open("net_ring3")) {
            PacketBatch large = new PacketBatch(2048);
            assertThat(nic.txQueue(0).allocate(large, 2048)).isBetween(900, 1023);
            large.release();
            assertThatThrownBy(() -> nic.setMaxFrameBytes(20)).isInstanceOf(IllegalArgumentException.class);
            nic.stop();
            assertThatThrownBy(() -> nic.rxQueue(0).poll(batch)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("not started");
            nic.start();
            nic.start();
        }
        assertThatThrownBy(() -> eal().open("net_ring4", new DpdkOptions(1024, 256, 1023, 2048, true)))
                .isInstanceOf(DeviceException.class).hasMessageContaining("1024 queues");
    }

    private static int number(String function, String port) {
        return (int) eal().library().call(function, DpdkLibrary.word(found.indexOf(port)));
    }

    /** Whether the kernel's end of a TAP port has been told to take everything (IFF_PROMISC of linux/if.h). */
    private static boolean takesEverything(String interfaceName) throws Exception {
        return (Integer.decode(Files.readString(Path.of("/sys/class/net", interfaceName, "flags")).strip())
                & 0x100) != 0;
    }

    /** Forwarders, generators and echoes open their ports so (DpdkCard makes its options without a word of it). */
    @Test
    void aPortTakesFramesForOtherStationsUnlessToldNotTo() throws Exception {
        assumeTrue(found.contains("net_tap1"), "no TAP port: needs root, /dev/net/tun and IPv6");
        assertThat(DpdkOptions.DEFAULT.promiscuous()).isTrue();
        assertThat(DpdkOptions.DEFAULT.withQueues(2).promiscuous()).isTrue();
        assertThat(takesEverything(ALL)).isFalse();
        try (Nic nic = new DpdkCard(eal(), List.of("net_tap1")).openPort(0, NicOptions.DEFAULTS)) {
            nic.start();
            assertThat(number("rte_eth_promiscuous_get", "net_tap1")).isEqualTo(1);
            assertThat(takesEverything(ALL)).isTrue();
        }
        try (DpdkNic nic = eal().open("net_tap2", new DpdkOptions(1, 256, 1023, 2048, false, false))) {
            nic.start();
            assertThat(number("rte_eth_promiscuous_get", "net_tap2")).isZero();
            assertThat(takesEverything(OWN)).isFalse();
        }
    }

    /** Where the port's packets lie: the socket that its pool was made on, by DPDK's own record of it. */
    private int socketOfPool(DpdkNic nic) {
        assertThat(nic.txQueue(0).allocate(batch, 1)).isEqualTo(1);
        long pool = DpdkLibrary.at(PacketWriter.token(batch, 0), DpdkLayout.MBUF_BYTES).get(ValueLayout.JAVA_LONG,
                DpdkLayout.MBUF_POOL);
        int socket = DpdkLibrary.at(pool, 64).get(ValueLayout.JAVA_INT, DpdkLayoutTest.POOL_SOCKET);
        batch.release();
        return socket;
    }

    @Test
    void packetsLieOnThePortsSocket() {
        try (DpdkNic nic = open(ON_SOCKET)) {
            assertThat(nic.numaNode()).isZero();
            assertThat(number("rte_eth_dev_socket_id", ON_SOCKET)).isZero();
            assertThat(socketOfPool(nic)).isZero();
        }
        try (DpdkNic nic = open("net_null3")) {
            assertThat(nic.numaNode()).isEqualTo(number("rte_eth_dev_socket_id", "net_null3"));
            assertThat(socketOfPool(nic)).isEqualTo(nic.numaNode());
        }
    }
}
