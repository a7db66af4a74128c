package dev.bascule.bench;

import java.nio.file.Path;

/**
 * What one run of the program was asked for and found.
 *
 * @param home the project's folder
 * @param twins path of the compiled C twins; empty without a compiler
 * @param processes processes per workload
 * @param millis measured time per process
 * @param boost whether measuring processes take the highest scheduling priority they can get
 * @param work folder for files of this run, deleted at its end
 */
record Session(Path home, String twins, int processes, int millis, boolean boost, Path work) {}
