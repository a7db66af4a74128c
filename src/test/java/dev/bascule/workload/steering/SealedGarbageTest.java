package dev.bascule.workload.steering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.host.YieldPoint;
import dev.bascule.lauberhorn.Refusal;
import dev.bascule.model.lauberhorn.NicCounters.Drop;
import dev.bascule.model.lauberhorn.NicCounters.Total;
import dev.bascule.rpc.CompactRpc;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.UdpEncoder;
import dev.bascule.rpc.Xdr;
import dev.bascule.workload.lauberhorn.DemoService;
import dev.bascule.workload.lauberhorn.WireClient;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Garbage under good checksums, so that it gets past Ethernet, IP and UDP and reaches what takes calls apart. Each frame is
 * accounted for: answered, refused or dropped by name; and good calls between them are all answered.
 */
@Timeout(300)
class SealedGarbageTest {
    private static final int HEADERS = UdpEncoder.MOST_HEADER_BYTES;
    private static final int MOST_BYTES = 1_400;
    private static final int FRAMES = 4_000;
    private static final long FOREIGN = 1_000_000;
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private final byte[] frame = new byte[HEADERS + MOST_BYTES];
    private final Map<Long, Integer> statuses = new HashMap<>();
    private long sent;

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3 })
    void eachFrameIsAccountedForAndGoodCallsAreAnswered(long seed) throws InterruptedException {
        SplittableRandom random = new SplittableRandom(seed);
        try (SteeredCard card = new SteeredCard(Steering.CLASS, 64, PATIENCE_NANOS, List.of(DemoService.number(0)))) {
            WireClient client = new WireClient(card.cable.get(1), SteeredCard.flow(0),
                    (id, status, payload, offset, bytes) -> {
                        if (id >= 0 && id < FRAMES) { // garbage has ids of its own
                            assertThat(statuses.put(id, status)).as("reply to %d, seed %d", id, seed).isNull();
                        }
                    });
            for (int i = 0; i < FRAMES; i++) {
                send(card, i % 4 == 0 ? good(i, random) : garbage(random));
                client.poll(64);
            }
            card.step(() -> {
                client.poll(64);
                return statuses.size() == FRAMES / 4;
            });
            assertThat(statuses.values()).as("seed %d", seed).containsOnly(OncRpc.SUCCESS);
            assertThat(card.front.failure()).isNull();
            assertThat(card.counters().get(Total.ANSWERED) + card.counters().get(Total.REFUSED)
                    + card.counters().get(Total.DROPPED) + card.counters().get(Total.BYPASSED))
                    .as("frames with an end, seed %d", seed).isEqualTo(sent)
                    .isEqualTo(card.counters().get(Total.FRAMES));
            assertThat(card.counters().get(Drop.NO_RPC)).as("garbage that is no RPC").isPositive();
            assertThat(card.counters().get(Refusal.BAD_ARGUMENTS)).as("calls with garbage for arguments").isPositive();
        }
    }

    @Test
    void theSealHolds() throws InterruptedException {
        try (SteeredCard card = new SteeredCard(Steering.CLASS, 64, PATIENCE_NANOS, List.of(DemoService.number(0)))) {
            SplittableRandom random = new SplittableRandom(7);
            for (int i = 0; i < 200; i++) {
                send(card, garbage(random));
            }
            for (Drop early : List.of(Drop.BAD_IP_CHECKSUM, Drop.BAD_UDP_CHECKSUM, Drop.FRAGMENT, Drop.TRUNCATED,
                    Drop.BAD_LENGTH, Drop.OTHER_STATION, Drop.SPOOFED)) {
                assertThat(card.counters().get(early)).as(early.word()).isZero();
            }
        }
    }

    private byte[] sealed(int bytes) {
        int start = UdpEncoder.wrap(SteeredCard.flow(0), frame, HEADERS, bytes);
        return Arrays.copyOfRange(frame, start, HEADERS + bytes);
    }

    private byte[] good(int id, SplittableRandom random) {
        int head = OncRpc.call(frame, HEADERS, id, DemoService.PROGRAM, 1, DemoService.ECHO);
        int filling = random.nextInt(1_000);
        Xdr.putInt(frame, HEADERS + head, filling);
        Arrays.fill(frame, HEADERS + head + 4, frame.length, (byte) 0); // padding is zeros
        return sealed(head + 4 + (filling + 3 & ~3));
    }

    /** Of each kind: random bytes; a header of either protocol with some bytes of it changed; a good one before garbage. */
    private byte[] garbage(SplittableRandom random) {
        int bytes = 1 + random.nextInt(MOST_BYTES);
        for (int i = 0; i < bytes; i++) {
            frame[HEADERS + i] = (byte) random.nextInt();
        }
        int procedure = random.nextInt(6);
        int head = switch (random.nextInt(3)) {
            case 0 -> 0;
            case 1 -> bytes < OncRpc.CALL_BYTES
                    ? 0
                    : OncRpc.call(frame, HEADERS, (int) FOREIGN + random.nextInt(1000), DemoService.PROGRAM, 1,
                            procedure);
            default -> bytes < CompactRpc.HEADER_BYTES
                    ? 0
                    : CompactRpc.call(frame, HEADERS, FOREIGN, DemoService.PROGRAM, procedure,
                            bytes - CompactRpc.HEADER_BYTES);
        };
        for (int n = head == 0 ? 0 : random.nextInt(3); n > 0; n--) {
            frame[HEADERS + 4 + random.nextInt(head - 4)] = (byte) random.nextInt(); // ids stay none of the good ones'
        }
        return sealed(bytes);
    }

    /** Sends a frame and has everything done that it brings about. */
    private void send(SteeredCard card, byte[] data) {
        assertThat(card.cable.get(1).transmit(data, 0, data.length)).isTrue();
        sent++;
        card.step(() -> card.counters().get(Total.FRAMES) == sent);
        while (card.hasArrived()) {
            card.jobs.run(card.jobs.take(), YieldPoint.NONE);
        }
        card.step(() -> card.jobs.next() == SteeredJobs.NONE);
    }
}
