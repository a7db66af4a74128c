package dev.bascule.rdma;

import dev.bascule.device.DeviceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Set;

/**
 * Names of this side and of the peer it expects, and the secret that both know. The secret is never sent.
 *
 * @param name own name
 * @param peer name that the other side must have; empty: any that knows the secret
 * @param secret at least 16 bytes
 */
public record Credentials(String name, String peer, byte[] secret) {
    private static final int LEAST_BYTES = 16;

    /** Copies the secret. */
    public Credentials {
        secret = secret.clone();
    }

    /**
     * With the secret in a file, which nobody else may read; white space at its ends does not count.
     *
     * @throws DeviceException if it cannot be read, is open to others or too short
     */
    public static Credentials read(String name, String peer, Path file) {
        try {
            Set<PosixFilePermission> rights = Files.getPosixFilePermissions(file);
            if (rights.contains(PosixFilePermission.GROUP_READ) || rights.contains(PosixFilePermission.OTHERS_READ)) {
                throw problem(file, "others may read it", "chmod 600 " + file);
            }
            byte[] secret = Files.readString(file).strip().getBytes(java.nio.charset.StandardCharsets.UTF_8);
            if (secret.length < LEAST_BYTES) {
                throw problem(file, "it has " + secret.length + " bytes, at least " + LEAST_BYTES + " are needed",
                        make(file));
            }
            return new Credentials(name, peer, secret);
        } catch (IOException e) {
            throw problem(file, "it cannot be read: " + e.getMessage(), make(file) + ", and copy it to the other side");
        }
    }

    private static String make(Path file) {
        return "make one: (umask 077; head -c 32 /dev/urandom | base64 > " + file + ")";
    }

    private static DeviceException problem(Path file, String problem, String remedy) {
        return new DeviceException("read the secret of the RDMA link", file.toString(), problem, remedy);
    }

    /** A new secret for sides that find each other by a directory of their own. */
    public static byte[] newSecret() {
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random).getBytes(java.nio.charset.StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Credentials one && one.name.equals(name) && one.peer.equals(peer)
                && Arrays.equals(one.secret, secret);
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + peer.hashCode();
    }

    /** Without the secret. */
    @Override
    public String toString() {
        return name + (peer.isEmpty() ? "" : ", expects " + peer);
    }
}
