package dev.bascule.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.agent.AgentEnd;
import dev.bascule.agent.Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What lies in a region: its files, and the next message in a channel. */
final class Regions {
    private Regions() {}

    static List<byte[]> contents(Path directory) throws IOException {
        List<byte[]> contents = new ArrayList<>();
        try (var all = Files.walk(directory)) {
            for (Path file : all.filter(Files::isRegularFile).sorted().toList()) {
                contents.add(Files.readAllBytes(file));
            }
        }
        return contents;
    }

    static Message next(AgentEnd agent) {
        Message message = new Message();
        assertThat(agent.peek(message)).isTrue();
        agent.consume();
        return message;
    }
}
