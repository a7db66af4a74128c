package dev.bascule.model.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.model.lauberhorn.AnsweredCalls.Known;
import dev.bascule.rpc.Signature;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory of calls that were answered, and each of its limits. */
class AnsweredCallsTest {
    private static final int PROGRAM = 0x2000_0960;
    private static final ServiceTable.Row ROW = row();
    private static final int SHORT = 40;
    private static final int KIB = 1 << 10;

    private final AnsweredCalls calls = new AnsweredCalls();
    private long now = 1_000_000_000_000L;

    private static ServiceTable.Row row() {
        Procedure procedure = new Procedure(1, 0, Signature.NULL);
        return new ServiceTable.Row(1, new Service(PROGRAM, 1, 0, List.of(procedure)), procedure);
    }

    /** A call of a sender, as the reader of frames fills it in. */
    private static Request call(int sender, int xid) {
        Request request = new Request(0);
        request.back.fromLow = 0x0a01_0101;
        request.back.fromPort = 700;
        request.back.toLow = 0x0a02_0000 + sender;
        request.back.toPort = 5_000;
        request.xid = xid;
        request.row = ROW;
        return request;
    }

    private Known look(int sender, int xid) {
        return calls.look(call(sender, xid), now);
    }

    /** A new call that is answered with so many bytes, all of them the call's number. */
    private void answer(int sender, int xid, int bytes) {
        Request request = call(sender, xid);
        assertThat(calls.look(request, now)).as("call %d of sender %d", xid, sender).isEqualTo(Known.NEW);
        calls.answered(request, reply(xid, bytes), 0, bytes);
    }

    private static byte[] reply(int xid, int bytes) {
        byte[] reply = new byte[bytes];
        java.util.Arrays.fill(reply, (byte) xid);
        return reply;
    }

    private byte[] again(int sender, int xid) {
        assertThat(look(sender, xid)).as("call %d of sender %d", xid, sender).isEqualTo(Known.ANSWERED);
        byte[] reply = new byte[AnsweredCalls.REPLY_BYTES];
        return java.util.Arrays.copyOf(reply, calls.reply(reply, 0));
    }

    @Test
    void aReplyComesAgainByteForByte() {
        answer(1, 7, SHORT);
        answer(1, 8, 3 * KIB);
        assertThat(again(1, 7)).isEqualTo(reply(7, SHORT));
        assertThat(again(1, 8)).isEqualTo(reply(8, 3 * KIB));
        assertThat(look(2, 7)).as("of another sender").isEqualTo(Known.NEW);
    }

    /**
     * More senders than there are places: the ones that were silent longest are forgotten, and what is held stays
     * bounded.
     */
    @Test
    void withOneSenderTooManySomeAreForgottenAndTheLatestIsNot() {
        int senders = AnsweredCalls.FLOWS + 1;
        for (int sender = 0; sender < senders; sender++) {
            answer(sender, 1, SHORT);
        }
        assertThat(again(senders - 1, 1)).isEqualTo(reply(1, SHORT));
        int forgotten = 0;
        for (int sender = senders - 2; sender >= 0; sender--) {
            Request request = call(sender, 1);
            forgotten += calls.look(request, now) == Known.NEW ? 1 : 0;
        }
        assertThat(forgotten).isBetween(1, senders - 1);
    }

    @Test
    void eachOfFourTimesTheSendersFindsItsLastCallAndNoOthers() {
        for (int round = 0; round < 2; round++) {
            for (int sender = 0; sender < 4 * AnsweredCalls.FLOWS; sender++) {
                answer(sender, 100 * round + 1, SHORT);
                assertThat(again(sender, 100 * round + 1)).isEqualTo(reply(100 * round + 1, SHORT));
            }
        }
    }

    @Test
    void aSenderThatTakesTheGivenAwayPlaceOfOneWhoseCallIsUnderWayIsNotAnsweredInItsStead() {
        Request first = call(0, 1);
        assertThat(calls.look(first, now)).isEqualTo(Known.NEW);
        for (int sender = 1; sender < 64 * AnsweredCalls.FLOWS && look(sender, 1) == Known.NEW; sender++) {
            calls.answered(first, reply(9, SHORT), 0, SHORT);
            assertThat(look(sender, 1)).as("its own call").isEqualTo(Known.UNDER_WAY);
        }
    }

    /** 17 replies of 4 KiB are more than 64 KiB: the oldest is forgotten, the next one is there. */
    @Test
    void beyondSixtyFourKibibytesOfRepliesTheOldestIsForgotten() {
        for (int xid = 1; xid <= 17; xid++) {
            answer(1, xid, 4 * KIB);
        }
        for (int xid = 17; xid >= 2; xid--) {
            assertThat(again(1, xid)).isEqualTo(reply(xid, 4 * KIB));
        }
        assertThat(look(1, 1)).isEqualTo(Known.NEW);
    }

    /** A reply that would go over the end begins at the start; what it covers is not given as another's. */
    @ParameterizedTest
    @ValueSource(ints = { 1, 3 * KIB, 5 * KIB, 33 * KIB, 1 << 16 })
    void repliesOfAnyLengthAreNeverAnothers(int bytes) {
        int remembered = 0;
        for (int xid = 1; xid <= 200; xid++) {
            answer(1, xid, 1 + xid * 97 % bytes);
            for (int old = Math.max(1, xid - AnsweredCalls.CALLS + 1); old <= xid; old++) {
                int length = 1 + old * 97 % bytes;
                Request request = call(1, old);
                if (calls.look(request, now) == Known.ANSWERED) {
                    byte[] reply = new byte[AnsweredCalls.REPLY_BYTES];
                    assertThat(java.util.Arrays.copyOf(reply, calls.reply(reply, 0))).isEqualTo(reply(old, length));
                    remembered++;
                } else {
                    calls.forget(request);
                }
            }
        }
        assertThat(remembered).isGreaterThanOrEqualTo(200);
    }

    @Test
    void oneThatIsTooLongStaysUnderWayAndIsNotRunAgain() {
        Request request = call(1, 1);
        assertThat(calls.look(request, now)).isEqualTo(Known.NEW);
        byte[] reply = new byte[AnsweredCalls.REPLY_BYTES + 1];
        calls.answered(request, reply, 0, reply.length);
        assertThat(look(1, 1)).isEqualTo(Known.UNDER_WAY);
    }

    @ParameterizedTest
    @CsvSource({ "59,ANSWERED", "61,NEW" })
    void afterAMinuteACallIsForgotten(long seconds, Known known) {
        answer(1, 1, SHORT);
        now += seconds * 1_000_000_000L;
        assertThat(look(1, 1)).isEqualTo(known);
    }

    @ParameterizedTest
    @CsvSource({ "59,UNDER_WAY", "61,NEW" })
    void soIsOneThatIsUnderWay(long seconds, Known known) {
        assertThat(look(1, 1)).isEqualTo(Known.NEW);
        now += seconds * 1_000_000_000L;
        assertThat(look(1, 1)).isEqualTo(known);
    }
}
