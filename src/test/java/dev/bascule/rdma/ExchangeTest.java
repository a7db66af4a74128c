package dev.bascule.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.bascule.device.DeviceException;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Greetings of two sides, and of a side and a stranger. */
@Timeout(120)
class ExchangeTest {
    private static final byte[] SECRET = bytes("a secret of a test");
    private static final byte[] OTHER = bytes("another secret of it");
    private static final int LIMIT_MILLIS = 4_000;

    private final Socket here;
    private final Socket there;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    ExchangeTest() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            here = new Socket(listener.getInetAddress(), listener.getLocalPort());
            there = listener.accept();
        }
    }

    @AfterEach
    void close() throws IOException {
        here.close();
        there.close();
        threads.shutdownNow();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** End of a side's greeting: the peer's name, or what was thrown; the connection ends with that. */
    private Callable<Object> greeting(Socket socket, Credentials own, boolean isHost) {
        return () -> {
            try {
                return new Exchange(socket, own, isHost).peer();
            } catch (DeviceException | IOException e) {
                socket.close();
                return e;
            }
        };
    }

    private Object[] greetings(Credentials host, Credentials agent) throws InterruptedException, ExecutionException {
        Future<Object> other = threads.submit(greeting(there, agent, false));
        Object one = threads.submit(greeting(here, host, true)).get();
        return new Object[] { one, other.get() };
    }

    /** It says all of the first part as is due, late, and of the second a byte now and then. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void aStrangerHasOneDeadlineForTheWholeGreeting(boolean isHost) throws Exception {
        AtomicLong greetedNanos = new AtomicLong();
        Future<Void> stranger = threads.submit(() -> {
            DataOutputStream out = new DataOutputStream(there.getOutputStream());
            byte[] greeting = new byte[44];
            assertThat(there.getInputStream().readNBytes(greeting, 0, greeting.length)).isEqualTo(greeting.length);
            TimeUnit.MILLISECONDS.sleep(LIMIT_MILLIS * 9 / 10);
            out.write(greeting); // as good as any
            greetedNanos.set(System.nanoTime());
            out.write(new byte[] { 0, 0, 0, 4 });
            while (true) {
                out.write(0x42);
                TimeUnit.MILLISECONDS.sleep(LIMIT_MILLIS / 10);
            }
        });
        assertThatThrownBy(() -> new Exchange(here, new Credentials("nic", "", SECRET), isHost, LIMIT_MILLIS))
                .isInstanceOf(SocketTimeoutException.class)
                .hasMessageContaining("within " + LIMIT_MILLIS / 1000 + " s");
        long sinceNanos = System.nanoTime() - greetedNanos.get();
        assertThat(TimeUnit.NANOSECONDS.toMillis(sinceNanos)).as("a tenth is left to it, and not all anew")
                .isLessThan(LIMIT_MILLIS * 9 / 10);
        here.close();
        assertThatThrownBy(stranger::get).hasCauseInstanceOf(IOException.class);
    }

    @ParameterizedTest(name = "the name is right: {0}")
    @ValueSource(booleans = { true, false })
    void aWrongSecretIsSaidBeforeAWrongName(boolean isNameRight) throws Exception {
        Object[] ended = greetings(new Credentials("host", isNameRight ? "nic" : "somebody", SECRET),
                new Credentials("nic", isNameRight ? "host" : "else", OTHER));
        assertThat(ended).allSatisfy(one -> assertThat(one).isInstanceOfAny(DeviceException.class, IOException.class)
                .asString().doesNotContain("name is"));
        assertThat(ended).anySatisfy(one -> assertThat(one).isInstanceOf(DeviceException.class).asString()
                .contains("does not know the secret"));
    }

    @Test
    void aWrongNameIsSaidToWhoKnowsTheSecret() throws Exception {
        Object[] ended = greetings(new Credentials("host", "somebody", SECRET), new Credentials("nic", "", SECRET));
        assertThat(ended[0]).isInstanceOf(DeviceException.class).asString()
                .contains("its name is 'nic', expected is 'somebody'");
    }

    /** In bytes: a letter may have several. */
    @ParameterizedTest
    @CsvSource({ "n,255,true", "n,256,false", "\u00fc,127,true", "\u00fc,128,false" })
    void anOwnNameHas255BytesAtMost(String letter, int times, boolean isTaken) throws Exception {
        String name = letter.repeat(times);
        Object[] ended = greetings(new Credentials("host", "", SECRET), new Credentials(name, "", SECRET));
        if (isTaken) {
            assertThat(ended).containsExactly(name, "host");
        } else {
            assertThat(ended[1]).isInstanceOf(DeviceException.class).asString()
                    .contains("the own name has 256 bytes", "at most 255");
            assertThat(ended[0]).as("the other side gets no name").isInstanceOf(IOException.class);
        }
    }
}
