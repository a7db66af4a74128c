package dev.bascule.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A door with guests of each kind: who is let in, who is closed and when, and what does not end it. */
@Timeout(120)
class DoorTest {
    private static final int PATIENCE_MILLIS = 30_000;
    /** No deadline of this length passes while a test runs. */
    private static final long NEVER_MILLIS = 600_000;
    private static final int SHORT_MILLIS = 200;
    /** First byte of one that greets and stays, of one that is asked again, and of one whose host fails. */
    private static final int STAYS = 'S';
    private static final int AGAIN = 'A';
    private static final int FAILS = 'F';

    @TempDir
    private Path folder = Path.of("");
    private final List<AutoCloseable> open = new ArrayList<>();
    private final Failing listener = new Failing();
    private volatile Failure failure = Failure.GONE;

    DoorTest() throws IOException {}

    /** Throwables of a host. */
    enum Failure {
        GONE, STATE, BUG, NO_MEMORY
    }

    /** A listener that can be without descriptors. */
    private static final class Failing extends ServerSocket {
        final AtomicInteger failures = new AtomicInteger();

        Failing() throws IOException {
            super(0, 64, InetAddress.getLoopbackAddress());
        }

        @Override
        public Socket accept() throws IOException {
            if (failures.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new IOException("Too many open files");
            }
            return super.accept();
        }
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable one : open.reversed()) {
            one.close();
        }
    }

    private Door<Socket> door(int most, long greetingMillis) {
        Door<Socket> door = Door.open("test", listener, Door.Bounds.of(most, greetingMillis), this::serve);
        open.add(door);
        return door;
    }

    private void serve(Door.Guest<Socket> guest) throws IOException {
        int first = guest.socket().getInputStream().read();
        if (first == FAILS) {
            switch (failure) {
                case GONE -> throw new IOException("as asked");
                case STATE -> throw new IllegalStateException("as asked");
                case BUG -> throw new IllegalArgumentException("as asked");
                case NO_MEMORY -> throw new OutOfMemoryError("as asked");
            }
        }
        guest.greeted();
        if (first == AGAIN) {
            guest.again();
        }
        guest.socket().getOutputStream().write(first);
        int next = guest.socket().getInputStream().read(); // until one of both closes
        assertThat(next).isNegative();
    }

    private Socket silent() throws IOException {
        Socket socket = new Socket(listener.getInetAddress(), listener.getLocalPort());
        open.add(socket);
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private Socket saying(int word) throws IOException {
        Socket socket = silent();
        socket.getOutputStream().write(word);
        return socket;
    }

    /** One that is let in and stays. */
    private Socket served(int word) throws IOException {
        Socket socket = saying(word);
        assertThat(socket.getInputStream().read()).isEqualTo(word);
        return socket;
    }

    private static boolean isClosed(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true; // a reset
        }
    }

    @Test
    void whoDoesNotGreetInTimeIsClosedThoughThereIsRoom() throws IOException {
        Door<Socket> door = door(16, SHORT_MILLIS);
        Socket stays = served(STAYS);
        Socket again = served(AGAIN);
        Socket silent = silent();
        assertThat(isClosed(silent)).as("one that has said nothing").isTrue();
        assertThat(isClosed(again)).as("one that has greeted and was asked again").isTrue();
        stays.setSoTimeout(4 * SHORT_MILLIS);
        assertThat(isClosed(stays)).as("one that has greeted").isFalse();
        assertThat(door.awaitFewerThan(2, PATIENCE_MILLIS)).isTrue();
        assertThat(door.count()).isEqualTo(1);
    }

    @Test
    void whoHasWaitedLongestMakesRoomAndWhoHasGreetedDoesNot() throws IOException {
        Door<Socket> door = door(2, NEVER_MILLIS);
        Socket stays = served(STAYS);
        Socket silent = silent();
        Socket next = served(STAYS);
        assertThat(isClosed(silent)).isTrue();
        assertThat(isClosed(saying(STAYS))).as("one more than there is room for").isTrue();
        for (Socket one : List.of(stays, next)) {
            one.setSoTimeout(SHORT_MILLIS);
            assertThat(isClosed(one)).isFalse();
        }
        assertThat(door.count()).isEqualTo(2);
    }

    @Test
    void withoutDescriptorsAGuestThatHasNotGreetedGoesAndTheNextIsServed() throws IOException {
        door(16, NEVER_MILLIS);
        Socket stays = served(STAYS);
        Socket first = silent();
        Socket second = silent();
        listener.failures.set(1);
        Socket next = served(STAYS);
        assertThat(isClosed(first)).as("the one that has waited longest").isTrue();
        listener.failures.set(100); // longer than there are guests that could go
        assertThat(isClosed(second)).isTrue();
        assertThat(served(STAYS).isConnected()).isTrue();
        for (Socket one : List.of(stays, next)) {
            one.setSoTimeout(SHORT_MILLIS);
            assertThat(isClosed(one)).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aHostThatThrowsEndsItsGuestAndNotTheDoor(Failure thrown) throws IOException {
        Door<Socket> door = door(2, NEVER_MILLIS);
        failure = thrown;
        for (int i = 0; i < 4; i++) {
            assertThat(isClosed(saying(FAILS))).isTrue();
        }
        assertThat(door.awaitFewerThan(1, PATIENCE_MILLIS)).as("no place is lost").isTrue();
        assertThat(served(STAYS).isConnected()).isTrue();
    }

    @ParameterizedTest(name = "uid {0}, any user {1}")
    @CsvSource({ "65534,false,refused", "65534,true,served", "0,false,served" })
    void processesOfAnotherUserAreLetInWhereAllAre(int uid, boolean anyUser, String seen) throws Exception {
        Assumptions.assumeTrue(Libc.effectiveUserId() == 0, "becoming another user takes root");
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/perl")), "the other user's program is in Perl");
        Path socket = folder.resolve("socket");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (Door<UnixSocket> door = Door.open("test", UnixListener.listen(socket, UnixSocket.Type.STREAM),
                anyUser ? Door.Bounds.of(4, NEVER_MILLIS) : Door.Bounds.ownUser(4, NEVER_MILLIS),
                guest -> hello(guest.socket()))) {
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rwxrwxrwx"));
            Process other = new ProcessBuilder("setpriv", "--reuid=" + uid, "--clear-groups", "perl",
                    "-MIO::Socket::UNIX",
                    "-e",
                    "$s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die 'not connected'; $n = sysread($s, $b, 8);"
                            + " print $n ? 'served' : 'refused'",
                    socket.toString()).redirectErrorStream(true).start();
            assertThat(new String(other.getInputStream().readAllBytes())).isEqualTo(seen);
            assertThat(other.waitFor()).isZero();
            assertThat(door.awaitFewerThan(1, PATIENCE_MILLIS)).isTrue();
        }
    }

    private static void hello(UnixSocket socket) {
        try (var arena = java.lang.foreign.Arena.ofConfined()) {
            socket.send(arena.allocateFrom("hello"));
        }
    }
}
