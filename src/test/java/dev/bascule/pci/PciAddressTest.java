package dev.bascule.pci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PciAddressTest {
    @Test
    void longAndShortFormsAreParsedAndPrinted() {
        assertThat(PciAddress.parse("0000:03:00.0")).isEqualTo(new PciAddress(0, 3, 0, 0));
        assertThat(PciAddress.parse("3:1f.7")).hasToString("0000:03:1f.7");
        assertThat(PciAddress.parse("10000:ff:1F.7")).hasToString("10000:ff:1f.7");
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "03", "03:00", "0000:03:00", "03:20.0", "03:00.8", "123:00.0", "0000:03:00.0 ",
            "g:0.0",
            "123456789:00:00.0" })
    void otherTextIsRefusedWithTheForm(String text) {
        assertThatThrownBy(() -> PciAddress.parse(text)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "'").hasMessageContaining("0000:03:00.0");
    }

    @Test
    void orderIsThatOfTheBus() {
        assertThat(PciAddress.parse("0000:03:00.1")).isGreaterThan(PciAddress.parse("0000:03:00.0"))
                .isLessThan(PciAddress.parse("0001:00:00.0"));
    }

    @Test
    void rangesAreChecked() {
        assertThatThrownBy(() -> new PciAddress(0, 256, 0, 0)).hasMessageContaining("bus 256");
        assertThatThrownBy(() -> new PciAddress(-1, 0, 0, 0)).hasMessageContaining("domain -1");
    }
}
