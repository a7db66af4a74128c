package dev.bascule.junit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bascule.ffi.Affinity;
import java.util.BitSet;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Check of every test class: its thread may use the CPUs that it could before. Threads inherit their maker's, so whoever
 * keeps one has all later tests of the JVM run on it alone.
 */
public final class CpusAreGivenBack implements BeforeAllCallback, AfterAllCallback {
    private static final ExtensionContext.Namespace OURS = ExtensionContext.Namespace.create(CpusAreGivenBack.class);

    @Override
    public void beforeAll(ExtensionContext context) {
        context.getStore(OURS).put("cpus", Affinity.current());
    }

    @Override
    public void afterAll(ExtensionContext context) {
        BitSet now = Affinity.current();
        BitSet before = context.getStore(OURS).get("cpus", BitSet.class);
        Affinity.set(before);
        assertThat(now).as("CPUs of the thread after %s", context.getDisplayName()).isEqualTo(before);
    }
}
