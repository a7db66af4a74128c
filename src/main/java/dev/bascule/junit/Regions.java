package dev.bascule.junit;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.Message;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Reader of what lies in a region: its files, and the next message in a channel. */
final class Regions {
    private Regions() {}

    static Map<Path, ByteBuffer> contents(Path directory) throws IOException {
        Map<Path, ByteBuffer> contents = new TreeMap<>();
        try (var all = Files.walk(directory)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                contents.put(file, ByteBuffer.wrap(Files.readAllBytes(file)));
            }
        }
        return contents;
    }

    static Message next(AgentEnd agent) {
        Message message = new Message();
        assertTrue(agent.peek(message), "a message is there");
        agent.consume();
        return message;
    }
}
