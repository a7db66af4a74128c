package dev.bascule.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class OncRpcTest {
    /** What rpcinfo sends to program 100000, version 2, procedure 3, with credentials of AUTH_SYS. */
    private static final byte[] CALL = HexFormat.of().parseHex("12345678000000000000000200018 6a00000000200000003"
            .replace(" ", "") + "00000001 0000000c 00000001 00000000 00000000 00000000 00000000".replace(" ", "")
            + "000186a5");

    private final OncRpc rpc = new OncRpc();

    @Test
    void aCallWithCredentialsIsTakenApart() {
        assertThat(rpc.read(CALL, 0, CALL.length)).isEqualTo(OncRpc.Kind.CALL);
        assertThat(rpc.xid()).isEqualTo(0x12345678);
        assertThat(rpc.program()).isEqualTo(100_000);
        assertThat(rpc.version()).isEqualTo(2);
        assertThat(rpc.procedure()).isEqualTo(3);
        assertThat(Xdr.getInt(CALL, rpc.bodyOffset())).isEqualTo(100_005);
        assertThat(CALL.length - rpc.bodyOffset()).isEqualTo(4);
    }

    @Test
    void whatIsNoCallIsRubbishOrOfAnotherVersion() {
        for (int length = 0; length < CALL.length - 4; length++) {
            assertThat(rpc.read(CALL, 0, length)).as("%d bytes", length)
                    .isIn(OncRpc.Kind.RUBBISH, OncRpc.Kind.OTHER_VERSION).isEqualTo(OncRpc.Kind.RUBBISH);
        }
        byte[] other = CALL.clone();
        other[11] = 3;
        assertThat(rpc.read(other, 0, other.length)).isEqualTo(OncRpc.Kind.OTHER_VERSION);
        byte[] greedy = CALL.clone();
        greedy[28] = 0x7f; // credentials of two thousand million bytes
        assertThat(rpc.read(greedy, 0, greedy.length)).isEqualTo(OncRpc.Kind.RUBBISH);
    }

    @Test
    void repliesAreReadAsTheyWereWritten() {
        byte[] reply = new byte[64];
        for (int status = OncRpc.SUCCESS; status <= OncRpc.SYSTEM_ERR; status++) {
            int length = OncRpc.reply(reply, 3, 99, status);
            assertThat(rpc.read(reply, 3, length)).isEqualTo(OncRpc.Kind.REPLY);
            assertThat(rpc.status()).isEqualTo(status);
            assertThat(rpc.xid()).isEqualTo(99);
            assertThat(rpc.bodyOffset()).isEqualTo(3 + length);
        }
        assertThat(rpc.read(reply, 0, OncRpc.rpcMismatch(reply, 0, 7))).isEqualTo(OncRpc.Kind.DENIED);
        int length = OncRpc.progMismatch(reply, 0, 7, 2, 4);
        assertThat(rpc.read(reply, 0, length)).isEqualTo(OncRpc.Kind.REPLY);
        assertThat(Xdr.getInt(reply, rpc.bodyOffset() + 4)).isEqualTo(4);
    }

    @Test
    void randomBytesEndNothing() {
        long seed = System.nanoTime();
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = CALL.clone();
            for (int i = random.nextInt(6); i >= 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            int length = random.nextInt(bytes.length + 1);
            if (rpc.read(bytes, 0, length) == OncRpc.Kind.CALL) {
                assertThat(rpc.bodyOffset()).as("seed %d", seed).isBetween(OncRpc.CALL_BYTES, length);
            }
        }
    }

    @Test
    void aCompactHeaderIsReadAsItWasWritten() {
        byte[] bytes = new byte[64];
        CompactRpc compact = new CompactRpc();
        int length = CompactRpc.call(bytes, 2, 0x1122334455667788L, 7, 65_535, 16);
        assertThat(compact.read(bytes, 2, length + 16)).isTrue();
        assertThat(compact.isReply()).isFalse();
        assertThat(compact.id()).isEqualTo(0x1122334455667788L);
        assertThat(compact.procedure()).isEqualTo(65_535);
        assertThat(compact.read(bytes, 2, length + 15)).as("payload shorter than claimed").isFalse();
        assertThat(compact.read(bytes, 1, length + 16)).as("no magic").isFalse();
        CompactRpc.reply(bytes, 2, 5, 7, 1, 3, 0);
        assertThat(compact.read(bytes, 2, CompactRpc.HEADER_BYTES)).isTrue();
        assertThat(compact.isReply()).isTrue();
        assertThat(compact.status()).isEqualTo(3);
    }
}
