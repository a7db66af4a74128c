package dev.bascule.host.scx;

/** Offsets and numbers of {@code native/scx/layout.h}, and of the operations in {@code native/scx/kernel.h}. */
final class Layout {
    // struct bsc_config
    static final long CONFIG_BYTES = 3368;
    static final long ARENA = 0;
    static final long STATUS_AT = 8;
    static final long BANK_AT = 16;
    static final long CHANNEL_AT = 32;
    static final long CPUS_AT = 40;
    static final long CPU_BYTES = 48;
    static final long SLEEPING_AT = 56;
    static final long CLAIMS_AT = 64;
    static final long OUTCOMES_AT = 72;
    static final long SLOTS_AT = 80;
    static final long AGENTS_AT = 88;
    static final long SOFT_NANOS = 96;
    static final long STARVE_NANOS = 104;
    static final long HOST_NANOS = 112;
    static final long TIMER_NANOS = 120;
    static final long ENTRIES = 128;
    static final long PLACES = 132;
    static final long STAGED = 136;
    static final long TASKS = 140;
    static final long CPUS = 144;
    static final long VERSION = 148;
    static final long GROUP_COUNT = 152;
    static final long WHOLE = 156;
    static final long TICKS = 160;
    static final long RULE_COUNT = 164;
    static final long CPU_OF = 168;
    static final long INDEX_OF = 296;

    static final long RULES = 2344;
    static final long GROUPS = 3240;

    // struct bsc_rule
    static final long RULE_BYTES = 56;
    static final long RULE_TEXT = 0;
    static final long RULE_MASK = 16;
    static final long RULE_GROUP = 32;
    static final long RULE_NICE_FROM = 40;
    static final long RULE_NICE_TO = 44;
    static final long RULE_KIND = 48;
    static final long RULE_TASK_CLASS = 52;

    static final int MOST_CPUS = 64;
    static final int MOST_GROUPS = 16;
    static final int MACHINE_CPUS = 1024;
    static final int NO_CPU = 0xffff;
    static final long TIMEOUT_MILLIS = 30_000;

    // struct bsc_agents
    static final long AGENTS_PID = 0;
    static final long AGENTS_SLEEPS = 8;

    // struct bsc_page
    static final long PAGE_BYTES = 4096;
    static final long HOST_BEAT = 0;
    static final long READY = 8;
    static final long POSTED = 16;
    static final long OVERFLOWS = 24;
    static final long LOCAL_DECISIONS = 32;
    static final long STARVED = 40;
    static final long SWITCHES = 48;
    static final long PREEMPTIONS = 56;
    static final long UNRULED = 64;
    static final long PRESTAGE_HITS = 72;
    static final long PARKED = 80;
    static final long RETRIES = 88;
    static final long RINGS = 96;
    static final long EXIT_KIND = 104;
    static final long EXIT_CODE = 112;
    static final long ALONE = 120;
    static final long LATE = 128;
    static final long RULED = 136;
    static final long NO_NUMBER = 144;
    static final long BUSY_NANOS = 152;
    static final long CALLS = 160;
    static final long KICKS = 168;
    static final long TURNED_AWAY = 176;
    static final long NUMBERS = 184;
    static final long LENT = 192;
    static final long OUTCOMES = 256;
    static final long WINDOW = 384;
    static final long EXIT_REASON = 896;
    static final long EXIT_MESSAGE = 1024;
    static final int WINDOW_COUNTS = 64;
    static final int REASON_BYTES = 128;
    static final int MESSAGE_BYTES = 256;

    // struct bsc_call
    static final long CALL_BYTES = 16;
    static final long CALL_VALUE = 0;
    static final long CALL_ANSWER = 8;

    // struct sched_ext_ops
    static final long OPS_FLAGS = 0;
    static final long OPS_TIMEOUT_MS = 8;
    static final long OPS_NAME = 12;
    static final int OPS_NAME_BYTES = 128;
    static final long SWITCH_PARTIAL = 8;

    private Layout() {}
}
