package dev.bascule.workload.lauberhorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.model.Cables;
import dev.bascule.model.WireEnd;
import dev.bascule.rpc.CompactRpc;
import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.Signature;
import dev.bascule.rpc.UdpEncoder;
import dev.bascule.rpc.UdpFlow;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client takes replies of whom it called, and of nobody else who knows the id. */
class WireClientTest {
    private static final int PROGRAM = 0x2000_0970;

    private final List<WireEnd> cable = Cables.cross();
    private final List<Long> replies = new ArrayList<>();
    private final List<UdpFlow> flows = List.of(flow(0), flow(1));
    private final WireClient client = new WireClient(cable.get(0), flows,
            (id, status, payload, offset, bytes) -> replies.add(id));

    private static UdpFlow flow(int which) {
        return WireClient.flow(0x0200_0000_0002L, 0x0a01_0102, 5000 + which, 0x0200_0000_0001L, 0x0a01_0101, 700);
    }

    /** One thing about a reply that is off. */
    enum Off {
        FROM_ADDRESS(flow -> flow.fromLow++), FROM_PORT(flow -> flow.fromPort++), TO_ADDRESS(
                flow -> flow.toLow++), TO_PORT(flow -> flow.toPort += 7), TO_ANOTHER_CLIENT(
                        flow -> flow.toPort++), THERE_AND_NOT_BACK(flow -> {
                            UdpFlow there = new UdpFlow();
                            there.setBack(flow);
                            flow.set(there);
                        });

        private final Consumer<UdpFlow> change;

        Off(Consumer<UdpFlow> change) {
            this.change = change;
        }
    }

    /** A reply to a call of the first of the two clients. */
    private void reply(boolean isOnc, int id, Consumer<UdpFlow> off) {
        UdpFlow back = new UdpFlow();
        back.setBack(flows.getFirst());
        off.accept(back);
        byte[] frame = new byte[256];
        int at = UdpEncoder.MOST_HEADER_BYTES;
        int bytes = isOnc
                ? OncRpc.reply(frame, at, id, OncRpc.SUCCESS)
                : CompactRpc.reply(frame, at, id, PROGRAM, 1, CompactRpc.DONE, 0);
        int start = UdpEncoder.wrap(back, frame, at, bytes);
        assertThat(cable.get(1).transmit(frame, start, at + bytes - start)).isTrue();
    }

    private void call(int id) {
        assertThat(client.call(id, PROGRAM, 1, 1, Signature.NULL, new long[0], 0)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void aReplyFromAnotherFlowIsNone(Off off) {
        call(4);
        reply(true, 4, off.change);
        reply(false, 4, off.change);
        assertThat(client.poll(8)).as("frames").isEqualTo(2);
        assertThat(replies).isEmpty();
        reply(true, 4, flow -> {});
        reply(false, 4, flow -> {});
        client.poll(8);
        assertThat(replies).as("of whom was called").containsExactly(4L, 4L);
    }

    @Test
    void anIdOfTheOtherClientIsNoneOfThisOne() {
        call(4);
        reply(true, 5, flow -> {});
        assertThat(client.poll(8)).isEqualTo(1);
        assertThat(replies).isEmpty();
    }
}
