package dev.bascule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.app.Probe;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Flows of the frames that {@code pktgen} sends by each queue. */
class PktgenFlowsTest {
    private static final int UDP_PORT_AT = 35;

    private static FrameSource.Load load(String... words) throws Exception {
        FrameSource source = new FrameSource();
        new CommandLine(CommandLine.Model.CommandSpec.create().addMixin("source",
                CommandLine.Model.CommandSpec.forAnnotatedObject(source))).parseArgs(words);
        return source.load(0, 0, true);
    }

    private static int flow(byte[] frame) {
        return frame[UDP_PORT_AT] - 0x40 & 0xFF; // port 40000 + flow
    }

    @ParameterizedTest
    @ValueSource(ints = { 2, 4, 7, 16 })
    void aMixIsOfManyFlowsAtEveryMomentAndEachFlowLeavesByOneQueue(int queues) throws Exception {
        FrameSource.Load mix = load("--mix", "imix");
        Set<Integer> all = new HashSet<>();
        for (int queue = 0; queue < queues; queue++) {
            List<byte[]> frames = PktgenLoad.frames(mix, queue, queues);
            assertThat(frames.stream().map(frame -> frame.length)).as("the mix's lengths, in its order")
                    .isEqualTo(mix.frames().stream().map(frame -> frame.length).toList());
            List<Integer> flows = frames.stream().map(PktgenFlowsTest::flow).toList();
            Set<Integer> own = new HashSet<>(flows);
            for (int at = 0; at + 256 <= flows.size(); at += 256) {
                assertThat(new HashSet<>(flows.subList(at, at + 256))).as("queue %d from frame %d on", queue, at)
                        .hasSizeGreaterThan(Math.min(8, own.size() / 2));
            }
            assertThat(Collections.disjoint(all, own)).as("flows of queue %d are its own", queue).isTrue();
            all.addAll(own);
        }
        assertThat(all).hasSizeGreaterThan(Probe.MOST_FLOWS * 3 / 4);
    }

    @Test
    void lengthsInTurnAreOfSixteenFlowsAQueue() throws Exception {
        FrameSource.Load sizes = load("--size", "64,128");
        List<Integer> flows = new ArrayList<>();
        PktgenLoad.frames(sizes, 1, 4).forEach(frame -> flows.add(flow(frame)));
        assertThat(new HashSet<>(flows)).hasSize(16);
    }

    @Test
    void oneQueueSendsTheMixAsItIs() throws Exception {
        FrameSource.Load mix = load("--mix", "router");
        assertThat(PktgenLoad.frames(mix, 0, 1)).isSameAs(mix.frames());
    }
}
