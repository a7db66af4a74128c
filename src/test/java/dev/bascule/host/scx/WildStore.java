package dev.bascule.host.scx;

import java.nio.file.Path;

/** An agent's process that stores into a word of the host: arguments are the host's run directory, and no more. */
final class WildStore {
    private WildStore() {}

    public static void main(String[] words) {
        KernelPage page = KernelSession.ofAgent(Path.of(words[0])).page();
        if (page.get(Layout.READY) != 1) {
            throw new AssertionError("it can be read");
        }
        System.out.println("reads");
        page.set(Layout.HOST_BEAT, 0);
        System.out.println("stored");
    }
}
