package dev.bascule.host;

/**
 * Numbers of tasks and jobs that wait in a live host.
 *
 * @param runnable tasks that could run and have no CPU; the CPUs' own decisions of the last moment may still be among them
 * @param waiting jobs that wait for an idle task
 */
public record LiveQueues(int runnable, int waiting) {}
