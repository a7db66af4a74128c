package dev.bascule.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProbeTest {
    @ParameterizedTest
    @CsvSource({ "58, 0, 0, 0", "64, 7, 1, 123456789", "1518, 255, 1099511627775, 281474976710655",
            "60, 128, 65536, 4294967296" })
    void carriesFlowNumberAndTime(int lengthBytes, int flow, long number, long nanos) {
        MemorySegment memory = MemorySegment.ofArray(Probe.frame(lengthBytes, flow));
        Probe.stamp(memory, 0, number, nanos);
        assertThat(Probe.isProbe(memory, 0, lengthBytes)).isTrue();
        assertThat(Probe.flow(memory, 0)).isEqualTo(flow);
        assertThat(Probe.number(memory, 0)).isEqualTo(number);
        assertThat(Probe.ageNanos(memory, 0, nanos + 700)).isEqualTo(700);
    }

    @Test
    void isIpv4WithARightChecksumAndTheLengthThatTheFrameHas() {
        for (int length = 58; length < 1519; length += 73) {
            byte[] frame = Probe.frame(length, length % 256);
            int sum = 0;
            for (int at = 14; at < 34; at += 2) {
                sum += (frame[at] & 0xFF) << 8 | frame[at + 1] & 0xFF;
            }
            sum = (sum & 0xFFFF) + (sum >>> 16);
            assertThat((sum & 0xFFFF) + (sum >>> 16)).as("%d bytes", length).isEqualTo(0xFFFF);
            assertThat((frame[16] & 0xFF) << 8 | frame[17] & 0xFF).isEqualTo(length - 14);
            assertThat((frame[38] & 0xFF) << 8 | frame[39] & 0xFF).isEqualTo(length - 34);
        }
    }

    @Test
    void flowsDifferInTheirPorts() {
        assertThat(Probe.frame(64, 3)[35]).isNotEqualTo(Probe.frame(64, 4)[35]);
        assertThatThrownBy(() -> Probe.frame(64, 256)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> Probe.frame(57)).hasMessageContaining("58");
    }
}
