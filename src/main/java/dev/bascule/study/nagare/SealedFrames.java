package dev.bascule.study.nagare;

import dev.bascule.config.FabricConfig;
import dev.bascule.study.fabric.AesGcm;
import dev.bascule.study.fabric.WorkTime;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Frames that a graph's source expects, for trying it: UDP datagrams over IPv4 from a number of clients, their payload as
 * long as the graph's inference device takes it, sealed with the key that its first opening node uses.
 */
public final class SealedFrames {
    private static final int HEADERS = 42;
    private static final int DEFAULT_BYTES = 784;

    private final SplittableRandom random;
    private final int payloadBytes;
    private final int flows;
    private final @Nullable AesGcm crypto;
    private final int key;

    /**
     * Frames for a graph.
     *
     * @param flows different clients
     * @param seed decides everything
     */
    public SealedFrames(FabricConfig config, int flows, long seed) {
        random = new SplittableRandom(seed);
        this.flows = flows;
        payloadBytes = config.devices().values().stream().filter(device -> device.kind().equals("inference"))
                .mapToInt(device -> number(device.settings().get("inputs"), DEFAULT_BYTES)).findFirst()
                .orElse(DEFAULT_BYTES);
        FabricConfig.Node opening = config.nodes().values().stream().filter(node -> node.action().equals("open"))
                .findFirst().orElse(null);
        FabricConfig.Device device = opening == null ? null : config.devices().get(opening.device());
        key = opening == null ? 0 : number(opening.settings().get("key"), 0);
        crypto = device == null
                ? null
                : new AesGcm(keys(device.settings().getOrDefault("keys", "")), random.nextInt(), WorkTime.NONE);
    }

    private static int number(@Nullable String text, int otherwise) {
        return text == null ? otherwise : Integer.parseInt(text);
    }

    private static List<byte[]> keys(String text) {
        return List.of(text.split("\\s+")).stream().map(HexFormat.of()::parseHex).toList();
    }

    /** The next frame. */
    public byte[] next() {
        byte[] payload = new byte[payloadBytes];
        random.nextBytes(payload);
        byte[] body = payload;
        AesGcm sealing = crypto;
        if (sealing != null) {
            byte[] sealed = new byte[sealing.mostResult(payloadBytes)];
            sealing.run(AesGcm.SEAL, key, payload, 0, payloadBytes, sealed);
            body = sealed;
        }
        int client = random.nextInt(flows);
        ByteBuffer frame = ByteBuffer.allocate(HEADERS + body.length);
        frame.put(new byte[] { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0 });
        frame.put((byte) 0x45).put((byte) 0).putShort((short) (28 + body.length)).putInt(0).put((byte) 64)
                .put((byte) 17).putShort((short) 0).putInt(0x0a00_0000 | client >>> 15).putInt(0x0a80_0001);
        frame.putShort(24, (short) checksum(frame));
        frame.putShort((short) (0x8000 | client & 0x7fff)).putShort((short) 7000)
                .putShort((short) (8 + body.length)).putShort((short) 0);
        return frame.put(body).array();
    }

    private static int checksum(ByteBuffer frame) {
        int sum = 0;
        for (int at = 14; at < 34; at += 2) {
            sum += frame.getShort(at) & 0xffff;
        }
        return ~((sum & 0xffff) + (sum >>> 16)) & 0xffff;
    }
}
