package dev.bascule.run;

import java.util.ArrayList;
import java.util.List;

/** Flags for the agent's JVM: a small heap, and the same start-up cache as the host if the launcher made one. */
public final class JvmFlags {
    private JvmFlags() {}

    /** Flags of an agent's JVM. */
    public static List<String> forAgent() {
        List<String> flags = new ArrayList<>(List.of("-XX:+UseSerialGC", "-Xms32m", "-Xmx64m", "-XX:-UsePerfData"));
        String cache = System.getProperty("bascule.aot");
        if (cache != null && !cache.isEmpty()) {
            flags.add("-XX:AOTCache=" + cache);
            flags.add("-Xlog:aot*=off,cds*=off");
        }
        String more = System.getProperty("bascule.agentFlags", "").strip(); // for machines where compiling is dear
        if (!more.isEmpty()) {
            flags.addAll(List.of(more.split("\\s+")));
        }
        return flags;
    }
}
