package dev.bascule.study.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class AesGcmTest {
    private static final byte[] KEY = HexFormat.of().parseHex(Chains.KEY);

    @Test
    void theSpecificationsTestCase2ComesOut() {
        // D. McGrew and J. Viega, The Galois/Counter Mode of Operation, appendix B, test case 2: all zero
        AesGcm device = new AesGcm(List.of(new byte[16]), 0, WorkTime.NONE);
        byte[] out = new byte[64];
        assertThat(device.run(AesGcm.SEAL, 0, new byte[16], 0, 16, out)).isEqualTo(44);
        assertThat(HexFormat.of().formatHex(out, 12, 44))
                .isEqualTo("0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf");
    }

    @Test
    void itAgreesWithOpenSslBothWays() {
        Optional<OpenSsl> found = OpenSsl.find();
        assumeThat(found).as("libcrypto.so.3 of Debian's libssl3").isPresent();
        SplittableRandom random = new SplittableRandom(3);
        AesGcm device = new AesGcm(List.of(KEY), 9, WorkTime.NONE);
        try (OpenSsl other = found.orElseThrow()) {
            for (int i = 0; i < 500; i++) {
                byte[] plain = new byte[1 + random.nextInt(2000)];
                byte[] nonce = new byte[12];
                random.nextBytes(plain);
                random.nextBytes(nonce);
                byte[] out = new byte[plain.length + AesGcm.OVERHEAD];
                int bytes = device.run(AesGcm.SEAL, 0, plain, 0, plain.length, out);
                assertThat(other.open(KEY, Arrays.copyOf(out, bytes))).hasValueSatisfying(
                        opened -> assertThat(opened).isEqualTo(plain));
                byte[] sealed = other.seal(KEY, nonce, plain);
                assertThat(device.run(AesGcm.OPEN, 0, sealed, 0, sealed.length, out)).isEqualTo(plain.length);
                assertThat(Arrays.copyOf(out, plain.length)).isEqualTo(plain);
                sealed[random.nextInt(sealed.length)] ^= (byte) (1 << random.nextInt(8));
                assertThat(device.run(AesGcm.OPEN, 0, sealed, 0, sealed.length, out)).isEqualTo(Accelerator.REJECTED);
                assertThat(other.open(KEY, sealed)).isEmpty();
            }
        }
    }

    @Test
    void whatMakesNoSenseIsRejected() {
        AesGcm device = new AesGcm(List.of(KEY), 0, WorkTime.NONE);
        byte[] out = new byte[100];
        assertThat(device.run(AesGcm.OPEN, 0, new byte[27], 0, 27, out)).isEqualTo(Accelerator.REJECTED);
        assertThat(device.run(AesGcm.OPEN, 1, new byte[40], 0, 40, out)).isEqualTo(Accelerator.REJECTED);
        assertThat(device.run(7, 0, new byte[40], 0, 40, out)).isEqualTo(Accelerator.REJECTED);
    }
}
