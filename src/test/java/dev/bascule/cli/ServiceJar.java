package dev.bascule.cli;

import dev.bascule.rpc.OncRpc;
import dev.bascule.rpc.Xdr;
import java.io.IOException;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;

/** A user's jar with a service, known to nobody's class path. */
final class ServiceJar {
    private static final int PROGRAM = 0x2000_7777;
    private static final String FACE = """
            package my;

            import dev.bascule.host.lauberhorn.*;

            @RpcProgram(number = 0x20007777)
            public interface Doubling {
                @RpcProcedure(1)
                long twice(long number);
            }
            """;
    private static final String OBJECT = """
            package my;

            public final class Twice implements Doubling {
                @Override
                public long twice(long number) {
                    return 2 * number;
                }
            }
            """;

    private ServiceJar() {}

    static Path make(Path folder) throws IOException {
        Path sources = Files.createDirectories(folder.resolve("src/my"));
        Path face = Files.writeString(sources.resolve("Doubling.java"), FACE);
        Path object = Files.writeString(sources.resolve("Twice.java"), OBJECT);
        Path classes = Files.createDirectories(folder.resolve("classes"));
        int status = ToolProvider.getSystemJavaCompiler().run(null, null, null, "-cp", PolicyJar.classPath(), "-d",
                classes.toString(), face.toString(), object.toString());
        if (status != 0) {
            throw new AssertionError("the service does not compile");
        }
        Path jar = folder.resolve("twice.jar");
        try (OutputStream file = Files.newOutputStream(jar); JarOutputStream out = new JarOutputStream(file)) {
            for (String name : List.of("my/Twice.class", "my/Doubling.class")) {
                out.putNextEntry(new JarEntry(name));
                Files.copy(classes.resolve(name), out);
            }
        }
        return jar;
    }

    /** Calls it by a socket of the JDK. */
    static long call(int port, long number) throws IOException {
        byte[] call = new byte[OncRpc.CALL_BYTES + 8];
        OncRpc.call(call, 0, 77, PROGRAM, 1, 1);
        Xdr.putInt(call, OncRpc.CALL_BYTES, (int) (number >>> 32));
        Xdr.putInt(call, OncRpc.CALL_BYTES + 4, (int) number);
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.setSoTimeout(60_000);
            socket.send(new DatagramPacket(call, call.length, InetAddress.getLoopbackAddress(), port));
            DatagramPacket reply = new DatagramPacket(new byte[64], 64);
            socket.receive(reply);
            byte[] bytes = Arrays.copyOf(reply.getData(), reply.getLength());
            return Integer.toUnsignedLong(Xdr.getInt(bytes, bytes.length - 4));
        }
    }
}
