/**
 * Published experiments, predicted by the simulated host. Micro-costs are the only inputs; what comes out stands beside
 * what was published, and nothing is fitted to it.
 */
@NullMarked
package dev.bascule.study.experiment;

import org.jspecify.annotations.NullMarked;
