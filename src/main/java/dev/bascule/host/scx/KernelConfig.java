package dev.bascule.host.scx;

import dev.bascule.ffi.MissingPartException;
import dev.bascule.agent.EnclaveShape;
import dev.bascule.agent.Transaction;
import dev.bascule.local.LocalPlaces;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Configuration that the kernel's side is told before it is loaded: {@code struct bsc_config}. */
final class KernelConfig {
    private final MemorySegment words;

    KernelConfig(MemorySegment readOnlyData) {
        if (readOnlyData.byteSize() != Layout.CONFIG_BYTES) {
            throw new MissingPartException("the kernel's side was built from other sources: its configuration has "
                    + readOnlyData.byteSize() + " bytes, not " + Layout.CONFIG_BYTES
                    + "; build it again: scripts/build-native");
        }
        words = readOnlyData;
    }

    void write(EnclaveShape shape, KernelOptions options, LocalPlaces region, KernelPlaces places) {
        set(Layout.ARENA, places.address());
        set(Layout.STATUS_AT, region.status());
        set(Layout.BANK_AT, region.evenBank());
        set(Layout.BANK_AT + 8, region.oddBank());
        set(Layout.CHANNEL_AT, region.channel());
        set(Layout.CPUS_AT, region.cpus());
        set(Layout.CPU_BYTES, region.cpuBytes());
        set(Layout.SLEEPING_AT, region.sleeping());
        set(Layout.CLAIMS_AT, region.claims());
        set(Layout.OUTCOMES_AT, region.outcomes());
        set(Layout.SLOTS_AT, region.slots());
        set(Layout.AGENTS_AT, places.regionBytes());
        set(Layout.SOFT_NANOS, options.softNanos());
        set(Layout.STARVE_NANOS, options.starvationNanos());
        set(Layout.HOST_NANOS, options.hardNanos());
        set(Layout.TIMER_NANOS, options.timerNanos());
        small(Layout.ENTRIES, shape.channelEntries());
        small(Layout.PLACES, shape.places());
        small(Layout.STAGED, shape.staged());
        small(Layout.TASKS, shape.tasks());
        small(Layout.CPUS, shape.cpus());
        small(Layout.VERSION, abiVersion());
        small(Layout.WHOLE, options.whole() ? 1 : 0);
        small(Layout.TICKS, options.ticks() ? 1 : 0);
        writeCpus(options);
        small(Layout.GROUP_COUNT, options.groups().size());
        for (int i = 0; i < options.groups().size(); i++) {
            set(Layout.GROUPS + 8L * i, ClassRule.groupNumber(options.groups().get(i)));
        }
        small(Layout.RULE_COUNT, options.classes().size());
        for (int i = 0; i < options.classes().size(); i++) {
            write(Layout.RULES + i * Layout.RULE_BYTES, options.classes().get(i));
        }
    }

    private void write(long at, ClassRule rule) {
        for (int word = 0; word < 2; word++) {
            set(at + Layout.RULE_TEXT + 8L * word, rule.textWord(word));
            set(at + Layout.RULE_MASK + 8L * word, rule.maskWord(word));
        }
        set(at + Layout.RULE_GROUP, rule.group());
        small(at + Layout.RULE_NICE_FROM, rule.niceFrom());
        small(at + Layout.RULE_NICE_TO, rule.niceTo());
        small(at + Layout.RULE_KIND, rule.kind().code);
        small(at + Layout.RULE_TASK_CLASS, rule.number());
    }

    private void writeCpus(KernelOptions options) {
        for (int cpu = 0; cpu < Layout.MACHINE_CPUS; cpu++) {
            int index = options.cpus().indexOf(cpu);
            words.set(ValueLayout.JAVA_SHORT, Layout.INDEX_OF + 2L * cpu,
                    (short) (index < 0 ? Layout.NO_CPU : index));
        }
        for (int index = 0; index < options.cpus().size(); index++) {
            words.set(ValueLayout.JAVA_SHORT, Layout.CPU_OF + 2L * index, options.cpus().get(index).shortValue());
        }
    }

    /** Of the agents' ABI, as every decision says it. */
    private static int abiVersion() {
        return (int) (new Transaction().set(0, 0, 0, 0).words()[1] >>> 16) & 0xff;
    }

    private void set(long at, long value) {
        words.set(ValueLayout.JAVA_LONG, at, value);
    }

    private void small(long at, int value) {
        words.set(ValueLayout.JAVA_INT, at, value);
    }
}
