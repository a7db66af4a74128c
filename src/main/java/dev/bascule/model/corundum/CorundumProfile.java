package dev.bascule.model.corundum;

/** Published state of the modelled hardware; the states differ in scheduler, TDMA timer and completion time stamp. */
public enum CorundumProfile {
    /** Scheduler block 0x200 with channels, 16-bit fraction of a nanosecond in completions. */
    MAY_2024,
    /** Scheduler block 0x100. */
    DECEMBER_2023
}
