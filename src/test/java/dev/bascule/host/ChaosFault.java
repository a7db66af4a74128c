package dev.bascule.host;

/** What the chaos lane does to a host; each is counted where it takes effect. */
enum ChaosFault {
    /** The agent dies between two calls of its end, after it had made decisions and while jobs were open. */
    KILLED,
    /** The agent stands still until the host has fenced it. */
    STOPPED,
    /** A call of an agent that was fenced before and goes on. */
    ZOMBIE_CALL,
    /** The agent ends by itself in the middle of its work. */
    REPLACED,
    /** A pause of an agent. */
    SLOW_ROUND,
    /** A decision made invalid. */
    WRONG_DECISION,
    /** A decision of random words, sealed by the real end. */
    SEALED_WORDS,
    /** A protocol line or word of random content, sealed as a real agent's end seals it. */
    FORGED_LINE,
    /** Random bytes in the region. */
    RAW_BYTES,
    /** A decision taken back. */
    WITHDRAWAL,
    /** A decision made a member of a group. */
    GROUP_MEMBER,
    /** An agent's process got SIGKILL after it had made decisions and while jobs were open. */
    PROCESS_KILLED,
    /** An agent's process got SIGSTOP likewise, was fenced, and then SIGCONT. */
    PROCESS_STOPPED,
    /** A host ended in the middle of its load without a word to its agents, which lived on. */
    HOST_CRASH,
    /** Another host took over what the last one left of its region. */
    HOST_RESTART,
    /** A CPU was taken, with what ran there. */
    CPU_TAKEN,
    /** A CPU was unplugged likewise. */
    CPU_UNPLUGGED,
    /** A CPU went from one enclave to another. */
    CPU_MOVED
}
