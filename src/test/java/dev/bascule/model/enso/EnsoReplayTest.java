package dev.bascule.model.enso;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.model.replay.ReplayResult;
import dev.bascule.model.replay.VectorFormatException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The replay itself: it finds differences of every kind and refuses files it does not understand. */
class EnsoReplayTest {
    private static final String BOARD = "{'op':'board','pipe_ring_flits':64,'notif_ring':64,'inflight':500,'per_packet':false}\n";
    private static final String RINGS = "{'op':'write64','offset':33554440,'value':'0x50000000'}\n"
            + "{'op':'write64','offset':33554456,'value':'0x50100000'}\n";
    private static final String FLIT = "00".repeat(64);
    private static final String RECEIVE = BOARD + RINGS + "{'op':'write64','offset':8,'value':'0x40000000'}\n"
            + "{'op':'rx_packet','pipe':0,'hex':'" + FLIT + "'}\n";
    private static final String DATA = "{'op':'expect_dma_write','addr':'0x40000000','hex':'" + FLIT + "'}\n";
    private static final String NOTIFICATION = "{'op':'expect_dma_write','addr':'0x50000000','hex':'"
            + "0100000000000000" + "0000000000000000" + "01" + "00".repeat(47) + "'}\n";

    @Test
    void aRightFilePasses() throws IOException {
        ReplayResult result = run(RECEIVE + DATA + NOTIFICATION + "{'op':'quiesce'}");
        assertThat(result.differences()).isEmpty();
        assertThat(result).returns(true, ReplayResult::passed).returns(2, ReplayResult::expectations).returns(5,
                ReplayResult::stimuli);
    }

    @Test
    void aMissingExpectationIsADifference() throws IOException {
        assertThat(run(RECEIVE + DATA + "{'op':'quiesce'}").differences())
                .containsExactly("line 7: DMA writes: unexpected 64 bytes at 0x50000000");
    }

    @Test
    void expectationsAreComparedAtTheEndEvenWithoutQuiesce() throws IOException {
        assertThat(run(RECEIVE + DATA + NOTIFICATION + DATA).differences())
                .containsExactly("line 8: DMA writes: missing 64 bytes at 0x40000000");
    }

    @Test
    void wrongOrderWrongDataAndWrongLoadsAreDifferences() throws IOException {
        assertThat(run(RECEIVE + NOTIFICATION + DATA).differenceCount()).isEqualTo(2);
        assertThat(run(RECEIVE + DATA.replace("'" + FLIT, "'01" + FLIT.substring(2)) + NOTIFICATION).differences())
                .containsExactly("line 6: DMA writes: 64 bytes at 0x40000000: byte 0: expected 01, got 00");
        assertThat(run("{'op':'read32','offset':0,'expect':'0x1'}").differences())
                .containsExactly("line 1: load of 4 bytes at 0: expected 0x1, got 0x0");
    }

    @Test
    void flowDifferencesAreFound() throws IOException {
        String flow = "'src_ip':'1.2.3.4','src_port':1,'dst_ip':'5.6.7.8','dst_port':2,";
        assertThat(run("{'op':'flow_insert'," + flow + "'pipe':3,'expect':'lost'}").differences())
                .containsExactly("line 1: flow insert: expected lost, got stored");
        assertThat(run("{'op':'flow_lookup'," + flow + "'expect_pipe':3}").differences())
                .containsExactly("line 1: flow lookup: expected 3, got -1");
        assertThat(run("{'op':'flow_lookup'," + flow + "'expect_pipe':-1,'expect_hash':'00000000'}").differences())
                .hasSize(1);
    }

    @Test
    void onlyAHundredDifferencesAreKept() throws IOException {
        ReplayResult result = run("{'op':'read32','offset':0,'expect':'0x1'}\n".repeat(150));
        assertThat(result.differences()).hasSize(100);
        assertThat(result.differenceCount()).isEqualTo(150);
    }

    @ParameterizedTest
    @ValueSource(strings = { "{'op':'surprise'}", "{'op':'expect_surprise'}", "{}", "[]", "{'op':'write32','offset':0}",
            "{'op':'rx_packet','pipe':8192,'hex':'00'}", "{'op':'rx_packet','pipe':0,'hex':'0x'}",
            "{'op':'rx_packet','pipe':0,'hex':'0'}", "{'op':'write128','offset':0,'value':0}",
            "{'op':'expect_dma_read','kind':'other','addr':0,'len':4}",
            "{'op':'expect_tx_flits','sop':true,'eop':true,'flits':2,'len':60,'hex':'00'}",
            "{'op':'flow_insert','src_ip':'1.2.3','src_port':1,'dst_ip':'5.6.7.8','dst_port':2,'pipe':1,'expect':'stored'}",
            "{'op':'board','pipe_ring_flits':-1,'notif_ring':64,'inflight':500,'per_packet':false}" })
    void aFileThatIsNotUnderstoodIsRefusedWithItsLine(String line) {
        assertThatThrownBy(() -> run("\n" + line)).isInstanceOf(VectorFormatException.class)
                .hasMessageStartingWith("line 2: ");
    }

    private static ReplayResult run(String lines) throws IOException {
        return EnsoReplay.run("test", new BufferedReader(new StringReader(lines.replace('\'', '"'))));
    }
}
