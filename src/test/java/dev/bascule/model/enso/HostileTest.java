package dev.bascule.model.enso;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.nic.enso.EnsoFormats;
import dev.bascule.nic.enso.EnsoRegisters;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a driver, its memory or the wire do, the device neither throws nor hangs. The seed is the test's argument. */
class HostileTest {
    private static final int ROUNDS = 8_000;

    /** Host memory full of noise that turns up everywhere, is refused at times, and forgets what is written. */
    private static final class NoisyHost implements HostPort {
        private final Random random;
        private final byte[] noise = new byte[4096];

        NoisyHost(Random random) {
            this.random = random;
            random.nextBytes(noise);
        }

        @Override
        public boolean write(long address, byte[] data, int offset, int lengthBytes) {
            return data.length >= offset + lengthBytes && random.nextInt(16) > 0;
        }

        @Override
        public boolean read(long address, byte[] into, int offset, int lengthBytes) {
            System.arraycopy(noise, random.nextInt(noise.length - lengthBytes), into, offset, lengthBytes);
            if (lengthBytes == EnsoFormats.ENTRY_BYTES && random.nextInt(4) > 0) {
                Bytes.putU64(into, EnsoFormats.SIGNAL, random.nextInt(4));
                Bytes.putU64(into, EnsoFormats.CONFIG_ID, random.nextInt(6));
                Bytes.putU64(into, EnsoFormats.TX_LENGTH, random.nextInt(3) == 0
                        ? random.nextLong()
                        : random.nextInt(2000));
            }
            return random.nextInt(16) > 0;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8 })
    void nothingThrowsAndNothingHangs(long seed) {
        Random random = new Random(seed);
        long[] now = { 0 };
        EnsoModel model = new EnsoModel(new NoisyHost(random), EnsoBoard.DEFAULT, () -> now[0], WireSink.NONE);
        Assertions.assertTimeoutPreemptively(Duration.ofSeconds(60), () -> {
            for (int i = 0; i < ROUNDS; i++) {
                now[0] += random.nextInt(100);
                stimulate(model, random);
                assertThat(model.work(100)).isBetween(0, 100);
            }
        });
        assertThat(model.metrics().get(EnsoCounter.MMIO_WRITES)).isPositive();
        assertThat(model.metrics().get(EnsoCounter.TX_ENTRIES)).isPositive();
        model.reload();
        assertThat(model.work(10)).isZero();
    }

    private static void stimulate(EnsoModel model, Random random) {
        switch (random.nextInt(8)) {
            case 0 -> model.write(random.nextLong(), 1 + random.nextInt(8), random.nextLong());
            case 1, 2 ->
                model.write(register(random), 4, random.nextInt(4) == 0 ? random.nextInt() : random.nextInt(600));
            case 3 -> model.write(register(random) & ~7, 8, random.nextLong() & 0xFFFF_FFFF_FFFFL);
            case 4 -> model.read(random.nextLong(), 1 + random.nextInt(8));
            case 5, 6 -> {
                byte[] frame = new byte[random.nextInt(1700)];
                random.nextBytes(frame);
                model.receive(frame, 0, frame.length);
            }
            default -> rarely(model, random);
        }
    }

    private static void rarely(EnsoModel model, Random random) {
        switch (random.nextInt(12)) {
            case 0 -> model.board(new EnsoBoard(random.nextInt(), random.nextInt(), random.nextInt(),
                    random.nextBoolean()));
            case 1 -> model.board(new EnsoBoard(1 << random.nextInt(21), 1 << random.nextInt(21), random.nextInt(1000),
                    random.nextBoolean()));
            case 2, 3, 4 -> model.resetEngines();
            case 5 -> model.reload();
            default -> model.nextWorkCycle();
        }
    }

    private static long register(Random random) {
        int page = random.nextBoolean() ? EnsoRegisters.PIPES + random.nextInt(3) : random.nextInt(4);
        return (long) page * EnsoRegisters.PAGE_BYTES + 4L * random.nextInt(8);
    }
}
