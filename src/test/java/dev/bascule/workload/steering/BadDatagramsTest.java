package dev.bascule.workload.steering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.host.YieldPoint;
import dev.bascule.host.lauberhorn.JavaService;
import dev.bascule.lauberhorn.Refusal;
import dev.bascule.model.lauberhorn.NicCounters.Drop;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.rpc.CompactRpc;
import dev.bascule.rpc.InternetChecksum;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.Signature;
import dev.bascule.rpc.UdpEncoder;
import dev.bascule.rpc.UdpFlow;
import dev.bascule.rpc.ValueType;
import dev.bascule.workload.lauberhorn.DemoService;
import dev.bascule.workload.lauberhorn.WireClient;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a card receives that nobody should have sent: named, counted, and no trouble for the calls beside it. */
@Timeout(300)
class BadDatagramsTest {
    private static final int PAYLOAD = UdpEncoder.MOST_HEADER_BYTES;
    private static final long PATIENCE_NANOS = 60_000_000_000L;
    private static final JavaService LONG_ANSWERS = JavaService.empty(77, 1).with(1, "long",
            new Signature(List.of(), List.of(ValueType.OPAQUE)), call -> call.setOpaque(0, new byte[2_000], 0, 2_000));

    private final SteeredCard card = new SteeredCard(Steering.HASH, 64, PATIENCE_NANOS,
            List.of(DemoService.number(0), LONG_ANSWERS));
    private final Map<Long, Integer> statuses = new HashMap<>();
    private long frames;

    @AfterEach
    void end() throws InterruptedException {
        card.close();
    }

    private WireClient client(int peers) {
        return new WireClient(card.cable.get(1), IntStream.range(0, peers).mapToObj(SteeredCard::flow).toList(),
                (id, status, payload, offset, bytes) -> assertThat(statuses.put(id, status)).as("reply to %d", id)
                        .isNull());
    }

    /** The frame of a good call with this id. */
    private static byte[] call(int id, UdpFlow flow, int filling) {
        byte[] frame = new byte[PAYLOAD + 2_000];
        int head = OncRpc.call(frame, PAYLOAD, id, DemoService.PROGRAM, 1, DemoService.ECHO);
        dev.bascule.rpc.Xdr.putInt(frame, PAYLOAD + head, filling);
        int bytes = head + 4 + (filling + 3 & ~3);
        int start = UdpEncoder.wrap(flow, frame, PAYLOAD, bytes);
        return Arrays.copyOfRange(frame, start, PAYLOAD + bytes);
    }

    /** Sends a frame and has everything done that it brings about. */
    private void send(byte[] frame) {
        assertThat(card.cable.get(1).transmit(frame, 0, frame.length)).isTrue();
        frames++;
        card.step(() -> card.counters().get(Total.FRAMES) == frames);
        while (card.hasArrived()) {
            card.jobs.run(card.jobs.take(), YieldPoint.NONE);
        }
        card.step(() -> card.jobs.next() == SteeredJobs.NONE);
    }

    private void dropped(Drop why, Consumer<byte[]> damage) {
        byte[] frame = call(1, SteeredCard.flow(0), 64);
        damage.accept(frame);
        dropped(why, frame);
    }

    private void dropped(Drop why, byte[] frame) {
        long before = card.counters().get(why);
        send(frame);
        assertThat(card.counters().get(why)).as(why.word()).isEqualTo(before + 1);
    }

    private static void fixIpChecksum(byte[] frame) {
        frame[24] = 0;
        frame[25] = 0;
        int sum = ~InternetChecksum.fold(InternetChecksum.add(frame, 14, 20, 0));
        frame[24] = (byte) (sum >>> 8);
        frame[25] = (byte) sum;
    }

    private static UdpFlow flow(Consumer<UdpFlow> change) {
        UdpFlow flow = SteeredCard.flow(0);
        change.accept(flow);
        return flow;
    }

    @Test
    void eachHasAReason() {
        WireClient client = client(7);
        dropped(Drop.BAD_UDP_CHECKSUM, frame -> frame[frame.length - 1] ^= 1);
        dropped(Drop.BAD_IP_CHECKSUM, frame -> frame[24] ^= 1);
        dropped(Drop.FRAGMENT, frame -> {
            frame[20] = 0x20; // more fragments
            fixIpChecksum(frame);
        });
        dropped(Drop.BAD_LENGTH, frame -> {
            frame[38] = 0x7f; // a datagram longer than its packet
        });
        dropped(Drop.OTHER_STATION, frame -> frame[5] ^= 8);
        dropped(Drop.TRUNCATED, Arrays.copyOf(call(1, SteeredCard.flow(0), 64), 90));
        dropped(Drop.SPOOFED, call(1, flow(flow -> flow.fromLow = 0xe0000001L), 64));
        dropped(Drop.SPOOFED, call(1, flow(flow -> flow.fromLow = 0), 64));
        dropped(Drop.SPOOFED, call(1, flow(flow -> flow.fromPort = 0), 64));
        dropped(Drop.SPOOFED, call(1, flow(flow -> flow.fromMac = SteeredCard.MAC), 64));
        byte[] rubbish = new byte[PAYLOAD + 8];
        int start = UdpEncoder.wrap(SteeredCard.flow(0), rubbish, PAYLOAD, 8);
        dropped(Drop.NO_RPC, Arrays.copyOfRange(rubbish, start, rubbish.length));
        byte[] reply = new byte[PAYLOAD + 24];
        OncRpc.reply(reply, PAYLOAD, 5, OncRpc.SUCCESS);
        start = UdpEncoder.wrap(SteeredCard.flow(0), reply, PAYLOAD, 24);
        dropped(Drop.NO_CALL, Arrays.copyOfRange(reply, start, reply.length));
        client.poll(100);
        assertThat(statuses).isEmpty();
        assertThat(card.counters().get(Total.REQUESTS)).isZero();
        send(call(2, SteeredCard.flow(2), 64));
        card.step(() -> client.poll(10) > 0);
        assertThat(statuses).containsExactly(Map.entry(2L, 0));
    }

    @Test
    void anAnswerLongerThanAPacketIsARefusalWithItsReason() {
        WireClient client = client(7);
        client.call(3, 77, 1, 1, Signature.NULL, new long[0], 0);
        client.compactCall(4, 77, 1, new long[0], 0);
        for (int id = 3; id <= 4; id++) {
            int wanted = id;
            card.step(() -> card.hasArrived());
            card.jobs.run(card.jobs.take(), YieldPoint.NONE);
            card.step(() -> client.poll(10) > 0 || statuses.containsKey((long) wanted));
        }
        assertThat(statuses).containsEntry(3L, OncRpc.SYSTEM_ERR).containsEntry(4L, Refusal.BAD_REPLY.status());
        assertThat(card.counters().get(Refusal.BAD_REPLY)).isEqualTo(2);
    }

    /** Good calls with bytes changed, cut or added, and good ones beside them, which are all answered. */
    @ParameterizedTest(name = "from {0} peers")
    @ValueSource(ints = { 1, 2, 4, 7 })
    void damagedFramesStopNobody(int peers) {
        WireClient client = client(peers);
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        int good = 0;
        for (int i = 0; i < 2_000; i++) {
            byte[] frame = call(1_000_000 + i, SteeredCard.flow(i % peers), random.nextInt(1_200));
            if (i % 4 == 0) {
                good++;
                frame = call(i, SteeredCard.flow(i % peers), random.nextInt(1_200));
            } else {
                frame = random.nextInt(3) == 0 ? Arrays.copyOf(frame, 14 + random.nextInt(frame.length)) : frame;
                for (int n = random.nextInt(4); n >= 0; n--) {
                    frame[12 + random.nextInt(Math.min(120, frame.length) - 12)] = (byte) random.nextInt();
                }
            }
            send(frame);
            client.poll(64);
        }
        card.step(() -> client.poll(64) == 0 && card.front.counters().get(Total.ANSWERED)
                + card.front.counters().get(Total.REFUSED) == card.front.counters().get(Total.REQUESTS));
        int goodCalls = good;
        card.step(() -> {
            client.poll(64);
            return statuses.keySet().stream().filter(id -> id < 2_000).count() == goodCalls;
        });
        statuses.forEach((id, status) -> {
            if (id < 2_000) {
                assertThat(status).as("call %d, seed %d", id, seed).isZero();
            }
        });
        assertThat(card.front.failure()).as("seed %d", seed).isNull();
        assertThat(CompactRpc.HEADER_BYTES).isEqualTo(24);
    }
}
