package dev.bascule.nic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MacAddressTest {
    @Test
    void isReadAndWrittenAsPeopleDo() {
        MacAddress address = MacAddress.parse("0A:35:06:00:00:fe");
        assertThat(address.value()).isEqualTo(0x0A35_0600_00FEL);
        assertThat(address).hasToString("0a:35:06:00:00:fe");
        assertThat(address.isStation()).isTrue();
    }

    @Test
    void noStationHasAGroupsAddressOrNone() {
        assertThat(MacAddress.parse("01:00:5e:00:00:01").isStation()).isFalse();
        assertThat(MacAddress.parse("ff:ff:ff:ff:ff:ff").isStation()).isFalse();
        assertThat(new MacAddress(0).isStation()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "1", "0a:35:06:00:00", "0a-35-06-00-00-fe", "0a:35:06:00:00:fg" })
    void whatIsNoneIsRefused(String text) {
        assertThatThrownBy(() -> MacAddress.parse(text)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("02:00:00:00:00:01");
    }

    @Test
    void moreThan48BitsAreRefused() {
        assertThatThrownBy(() -> new MacAddress(1L << 48)).isInstanceOf(IllegalArgumentException.class);
    }
}
