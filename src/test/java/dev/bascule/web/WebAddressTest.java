package dev.bascule.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebAddressTest {
    @Test
    void aPortAloneIsOnTheLoopbackAddress() {
        InetSocketAddress at = WebAddress.parse("8080");
        assertThat(at.getPort()).isEqualTo(8080);
        assertThat(at.getAddress().isLoopbackAddress()).isTrue();
    }

    @Test
    void aHostIsNamedBeforeThePort() {
        assertThat(WebAddress.parse("0.0.0.0:0").getAddress().isAnyLocalAddress()).isTrue();
        assertThat(WebAddress.parse("192.0.2.1:65535").getAddress().getHostAddress()).isEqualTo("192.0.2.1");
    }

    @Test
    void anAddressOfIpVersionSixIsInBrackets() {
        InetSocketAddress at = WebAddress.parse("[::1]:80");
        assertThat(at.getAddress().isLoopbackAddress()).isTrue();
        assertThat(at.getPort()).isEqualTo(80);
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "web", "65536", "127.0.0.1", "127.0.0.1:", "::1:80", ":80", "-1" })
    void whatIsNoAddressIsRefusedWithTheForm(String text) {
        assertThatThrownBy(() -> WebAddress.parse(text)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("--web '" + text + "': write a port");
    }

    @Test
    void aNameThatNoHostHasIsSaid() {
        assertThatThrownBy(() -> WebAddress.parse("nobody.invalid:80")).isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("no host is called nobody.invalid");
    }
}
