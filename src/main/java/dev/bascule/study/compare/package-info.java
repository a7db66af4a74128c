/**
 * Experiments that set the transports side by side under equal rules: conflicts (E3), processors per agent (E5), faults
 * of the agent (E8) and idleness (E9). Real transports, real agent processes and real time; the processors' work is a
 * deadline, so that one thread can play many of them.
 */
@NullMarked
package dev.bascule.study.compare;

import org.jspecify.annotations.NullMarked;
