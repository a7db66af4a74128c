package dev.bascule.nic.dpdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramSocket;
import java.util.List;
import org.junit.jupiter.api.Test;

class TapFlowsTest {
    /** 2 of 32 had one port in 1 run of 70 when these were sockets that share their ports: 31 flows of 32 came. */
    @Test
    void everyFlowHasAPortOfItsOwn() throws IOException {
        List<DatagramSocket> flows = TapFlows.open(500);
        try {
            assertThat(flows).extracting(DatagramSocket::getLocalPort).doesNotHaveDuplicates();
        } finally {
            flows.forEach(DatagramSocket::close);
        }
    }
}
