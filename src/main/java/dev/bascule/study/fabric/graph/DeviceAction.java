package dev.bascule.study.fabric.graph;

import dev.bascule.study.fabric.AesGcm;
import dev.bascule.study.fabric.FileStore;
import dev.bascule.study.fabric.FrameSender;
import dev.bascule.study.fabric.QuantisedNet;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/** Action of a device in a graph, by its kind, with the bytes that it takes and gives. */
enum DeviceAction {
    RECEIVE("nic", "receive", 0, Role.SOURCE, EnumSet.noneOf(Content.class), Content.ANY), //
    SEND("nic", "send", FrameSender.SEND, Role.END, EnumSet.allOf(Content.class), Content.ANY), //
    PUSH("host", "push", 0, Role.SOURCE, EnumSet.noneOf(Content.class), Content.ANY), //
    TAKE("host", "take", 0, Role.END, EnumSet.allOf(Content.class), Content.ANY), //
    OPEN("crypto", "open", AesGcm.OPEN, Role.WORK, EnumSet.of(Content.ANY, Content.SEALED), Content.PLAIN), //
    SEAL("crypto", "seal", AesGcm.SEAL, Role.WORK, EnumSet.allOf(Content.class), Content.SEALED), //
    CLASSIFY("inference", "classify", QuantisedNet.CLASSIFY, Role.WORK, EnumSet.of(Content.ANY, Content.PLAIN),
            Content.LABEL), //
    APPEND("store", "append", FileStore.APPEND, Role.END, EnumSet.allOf(Content.class), Content.ANY), //
    APPEND_AND_TELL("store", "append-and-tell", FileStore.APPEND_AND_TELL, Role.WORK, EnumSet.allOf(Content.class),
            Content.POSITION);

    /** Where in a graph. */
    enum Role {
        SOURCE, WORK, END
    }

    private final String kind;
    private final String word;
    private final int command;
    private final Role role;
    private final Set<Content> takes;
    private final Content gives;

    DeviceAction(String kind, String word, int command, Role role, Set<Content> takes, Content gives) {
        this.kind = kind;
        this.word = word;
        this.command = command;
        this.role = role;
        this.takes = takes;
        this.gives = gives;
    }

    static Optional<DeviceAction> of(String kind, String word) {
        return Arrays.stream(values()).filter(action -> action.kind.equals(kind) && action.word.equals(word))
                .findFirst();
    }

    /** Actions of a kind in words, for messages. */
    static String words(String kind) {
        return String.join(", ",
                Arrays.stream(values()).filter(action -> action.kind.equals(kind)).map(action -> action.word).toList());
    }

    static Set<String> kinds() {
        Set<String> kinds = new LinkedHashSet<>();
        for (DeviceAction action : values()) {
            kinds.add(action.kind);
        }
        return kinds;
    }

    String kind() {
        return kind;
    }

    int command() {
        return command;
    }

    Role role() {
        return role;
    }

    boolean takes(Content content) {
        return takes.contains(content);
    }

    Content gives() {
        return gives;
    }
}
