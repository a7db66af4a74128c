package dev.bascule.rdma;

import dev.bascule.device.DeviceException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A TCP connection over which two sides of a mirrored region tell each other how to reach their queue pairs. Both first
 * send a random number; every frame after that, of which the first has the name, carries a code (HMAC-SHA256) over its place
 * in the talk and its content, made with a key of the secret and both numbers. So each knows that the other knows the secret
 * before it takes anything else from it, and nothing can be replayed. There is one deadline for all of the greeting, and
 * one for each frame. Nothing is encrypted, as RDMA is not: the network must be trusted not to listen.
 * <p>
 * Frame: length 32, type 8, content, code of 32 bytes. Thread rule: one thread sends and one receives. Errors: a
 * {@link DeviceException} for what a peer does wrong, an {@link IOException} for a broken connection.
 */
final class Exchange implements AutoCloseable {
    /** Frame: a refusal, in words. */
    static final byte REFUSE = 0;

    private static final long MAGIC = 0x4241_5343_5244_4d41L; // "BASCRDMA"
    private static final int VERSION = 3;
    private static final int MOST_BYTES = 1 << 16;
    private static final int RANDOM_BYTES = 32;
    private static final int CODE_BYTES = 32;
    /** Between two frames: a JVM that has just started loads what it computes codes with, on a machine that may be busy. */
    private static final int TIMEOUT_MILLIS = 20_000;
    /** Until both have proved that they know the secret. */
    static final int GREETING_MILLIS = 20_000;
    /** Of a name in UTF-8. */
    private static final int MOST_NAME_BYTES = 255;
    private static final byte NAME = 127;

    private final Socket socket;
    private final TimedInput timed;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final boolean isHost;
    private String peer = "";
    private final SecretKeySpec key;
    private long sent;
    private long received;

    /** A received frame. */
    record Frame(byte type, DataInputStream content) {}

    /** Writes the content of a frame. */
    interface Content {
        void writeTo(DataOutputStream out) throws IOException;
    }

    /**
     * Greets and is greeted.
     *
     * @throws DeviceException if the other side is no such peer, of another version or has another name
     */
    Exchange(Socket socket, Credentials own, boolean isHost) throws IOException {
        this(socket, own, isHost, GREETING_MILLIS);
    }

    /** Greets and is greeted, with another deadline for that. */
    Exchange(Socket socket, Credentials own, boolean isHost, int greetingMillis) throws IOException {
        this.socket = socket;
        this.isHost = isHost;
        socket.setTcpNoDelay(true);
        socket.setKeepAlive(true);
        timed = new TimedInput(socket);
        in = new DataInputStream(timed);
        out = new DataOutputStream(socket.getOutputStream());
        timed.begin(greetingMillis);
        byte[] ownGreeting = greeting();
        out.write(ownGreeting);
        out.flush();
        byte[] peerGreeting = read();
        key = new SecretKeySpec(code(own.secret(), isHost ? ownGreeting : peerGreeting,
                isHost ? peerGreeting : ownGreeting), "HmacSHA256");
        byte[] name = own.name().getBytes(StandardCharsets.UTF_8);
        if (name.length > MOST_NAME_BYTES) {
            throw problem("the own name has " + name.length + " bytes", "give rdma.name at most " + MOST_NAME_BYTES);
        }
        send(NAME, to -> to.write(name));
        Frame named = read(1 + MOST_NAME_BYTES); // nothing that a stranger says gets further
        if (named.type != NAME) {
            throw problem("it said " + named.type + " where its name was due",
                    "use one version of Bascule on both sides");
        }
        peer = new String(named.content.readAllBytes(), StandardCharsets.UTF_8);
        if (!own.peer().isEmpty() && !own.peer().equals(peer)) {
            throw problem("its name is '" + peer + "', expected is '" + own.peer() + "'",
                    "set rdma.peer here to its name, or rdma.name there");
        }
    }

    private static byte[] greeting() throws IOException {
        byte[] random = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(random);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream to = new DataOutputStream(bytes);
        to.writeLong(MAGIC);
        to.writeInt(VERSION);
        to.write(random);
        return bytes.toByteArray();
    }

    /** The peer's greeting as it came. */
    private byte[] read() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream copy = new DataOutputStream(bytes);
        long magic = in.readLong();
        int version = in.readInt();
        if (magic != MAGIC) {
            throw problem("what listens there speaks another protocol", "name the address of a bascule agent");
        }
        if (version != VERSION) {
            throw problem("it speaks version " + version + " of the exchange, this side " + VERSION,
                    "use one version of Bascule on both sides");
        }
        copy.writeLong(magic);
        copy.writeInt(version);
        byte[] random = new byte[RANDOM_BYTES];
        in.readFully(random);
        copy.write(random);
        return bytes.toByteArray();
    }

    /** The name that the other side gave and proved. */
    String peer() {
        return peer;
    }

    /** Name of the other side, for a person: sides that find each other by a directory have no names. */
    String who() {
        return peer.isEmpty() ? "this machine" : peer;
    }

    /** This side's address. */
    Socket socket() {
        return socket;
    }

    DeviceException problem(String problem, String remedy) {
        return new DeviceException("connect RDMA link", String.valueOf(socket.getRemoteSocketAddress()), problem,
                remedy);
    }

    private static byte[] code(byte[] key, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HmacSHA256", e);
        }
    }

    /** Code of a frame, over its sender, its place among the sender's frames and its content. */
    private byte[] code(boolean byHost, long number, byte[] body) {
        byte[] place = new byte[9];
        place[0] = (byte) (byHost ? 'H' : 'A');
        for (int i = 0; i < 8; i++) {
            place[1 + i] = (byte) (number >>> 8 * i);
        }
        return code(key.getEncoded(), place, body);
    }

    synchronized void send(byte type, Content content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream to = new DataOutputStream(bytes);
        to.writeByte(type);
        content.writeTo(to);
        byte[] body = bytes.toByteArray();
        out.writeInt(body.length);
        out.write(body);
        out.write(code(isHost, sent++, body));
        out.flush();
    }

    /** Receives a frame of this type. */
    DataInputStream expect(byte type) throws IOException {
        return expect(type, TIMEOUT_MILLIS);
    }

    /** Receives a frame of this type, the whole of it within this time. */
    DataInputStream expect(byte type, int millis) throws IOException {
        Frame frame = receive(millis);
        if (frame.type == REFUSE) {
            throw new PeerRefusal(peer, frame.content.readUTF());
        }
        if (frame.type != type) {
            throw problem("it said " + frame.type + " where " + type + " was due",
                    "use one version of Bascule on both sides");
        }
        return frame.content;
    }

    /** Receives a frame; {@link SocketTimeoutException} if none comes in time, {@link EOFException} at the end. */
    Frame receive(int millis) throws IOException {
        timed.begin(millis);
        return read(MOST_BYTES);
    }

    private Frame read(int most) throws IOException {
        int length = in.readInt();
        if (length < 1 || length > most) {
            throw problem("it sent a frame of " + length + " bytes", "use one version of Bascule on both sides");
        }
        byte[] body = in.readNBytes(length);
        byte[] code = in.readNBytes(CODE_BYTES);
        if (!MessageDigest.isEqual(code, code(!isHost, received++, body))) {
            throw problem((peer.isEmpty() ? "it" : "'" + peer + "'") + " does not know the secret",
                    "put the same secret into rdma.secretFile of both sides");
        }
        return new Frame(body[0], new DataInputStream(new ByteArrayInputStream(body, 1, body.length - 1)));
    }

    /** Waits, as long as it takes, until the other side has gone or this side has closed. */
    void awaitEnd() {
        try {
            timed.begin(0);
            while (in.read() >= 0) {
                Thread.onSpinWait(); // nothing is said any more
            }
        } catch (IOException e) {
            // that is the end
        }
    }

    /** Says why, as far as it can still be said. */
    void refuse(String why) {
        try {
            send(REFUSE, to -> to.writeUTF(why));
        } catch (IOException e) {
            // it has gone
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // it is gone either way
        }
    }
}
