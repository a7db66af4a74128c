package dev.bascule.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The store against a map, and the server's protocol. */
class KeyValueTest {
    private static final int PORT = 9000;

    private final CircularStore store = new CircularStore(1 << 16, 1 << 10);
    private final KeyValueServer server = new KeyValueServer(store, PORT);

    @Test
    void whatIsFoundIsWhatWasStoredLast() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        Map<Long, Long> truth = new HashMap<>();
        MemorySegment value = MemorySegment.ofArray(new long[32]);
        long found = 0;
        for (int i = 0; i < 200_000; i++) {
            long key = random.nextLong(1000);
            if (random.nextBoolean()) {
                long word = random.nextLong();
                value.set(ValueLayout.JAVA_LONG, 0, word);
                assertThat(store.put(key, value, 0, 8 + random.nextInt(100))).isTrue();
                truth.put(key, word);
            } else {
                long at = store.find(key);
                if (at >= 0) {
                    found++;
                    assertThat(store.memory().get(ValueLayout.JAVA_LONG, at)).as("seed %d, key %d", seed, key)
                            .isEqualTo(truth.get(key));
                }
            }
        }
        assertThat(found).isGreaterThan(1000);
    }

    @Test
    void theOldestGoFirst() {
        MemorySegment value = MemorySegment.ofArray(new byte[1000]);
        for (long key = 0; key < 200; key++) {
            store.put(key, value, 0, 1000);
        }
        assertThat(store.find(199)).isPositive();
        assertThat(store.find(0)).isEqualTo(-1);
        assertThat(store.put(1, value, 0, 1 << 16)).isFalse();
        assertThatThrownBy(() -> new CircularStore(5000, 8)).isInstanceOf(IllegalArgumentException.class);
    }

    private static MemorySegment request(int operation, long key, int length, int room) {
        byte[] payload = new byte[KeyValueServer.HEADER_BYTES + room];
        MemorySegment memory = MemorySegment.ofArray(payload);
        payload[0] = (byte) operation;
        memory.set(ValueLayout.JAVA_SHORT_UNALIGNED, 2, (short) length);
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 8, key);
        for (int i = 0; i < room; i++) {
            payload[KeyValueServer.HEADER_BYTES + i] = operation == KeyValueServer.PUT ? (byte) (i + 1) : 0;
        }
        return AppFrames.udp(0x0A000007, 5555, PORT, payload);
    }

    private int status(MemorySegment frame) {
        int length = AppFrames.length(frame);
        assertThat(server.process(frame, 0, length)).isEqualTo(length);
        assertThat(Headers.i32(frame, Headers.DESTINATION_IP)).isEqualTo(0x0A000007);
        assertThat(Headers.u16(frame, Headers.DESTINATION_PORT)).isEqualTo(5555);
        assertThat(Headers.u16(frame, Headers.SOURCE_PORT)).isEqualTo(PORT);
        assertThat(AppFrames.headerSum(frame)).isEqualTo(0xFFFF);
        return Headers.u8(frame, Headers.UDP_PAYLOAD + 1);
    }

    @Test
    void requestsAreAnsweredInTheirOwnPacket() {
        assertThat(status(request(KeyValueServer.GET, 5, 0, 32))).isEqualTo(KeyValueServer.NOT_FOUND);
        assertThat(status(request(KeyValueServer.PUT, 5, 20, 32))).isEqualTo(KeyValueServer.DONE);
        MemorySegment get = request(KeyValueServer.GET, 5, 0, 32);
        assertThat(status(get)).isEqualTo(KeyValueServer.DONE);
        assertThat(get.get(ValueLayout.JAVA_SHORT_UNALIGNED, Headers.UDP_PAYLOAD + 2)).isEqualTo((short) 20);
        assertThat(get.get(ValueLayout.JAVA_BYTE, Headers.UDP_PAYLOAD + 16 + 19)).isEqualTo((byte) 20);
        MemorySegment small = request(KeyValueServer.GET, 5, 0, 8);
        assertThat(status(small)).isEqualTo(KeyValueServer.DONE);
        assertThat(small.get(ValueLayout.JAVA_SHORT_UNALIGNED, Headers.UDP_PAYLOAD + 2)).isEqualTo((short) 8);
        assertThat(server.served()).isEqualTo(4);
    }

    @Test
    void badRequestsAreTold() {
        assertThat(status(request(7, 5, 0, 32))).isEqualTo(KeyValueServer.BAD_REQUEST);
        assertThat(status(request(KeyValueServer.PUT, 5, 33, 32))).isEqualTo(KeyValueServer.BAD_REQUEST);
        assertThat(status(request(KeyValueServer.PUT, 5, 0xFFFF, 32))).isEqualTo(KeyValueServer.BAD_REQUEST);
        assertThat(server.process(AppFrames.udp(1, 2, 80, new byte[64]), 0, 106)).isZero();
        assertThat(server.process(AppFrames.udp(1, 2, PORT, new byte[64]), 0, 50)).isZero();
        assertThat(server.dropped()).isEqualTo(2);
    }
}
