/** Pages and text of what was simulated or reproduced. */
@NullMarked
package dev.bascule.study.report;

import org.jspecify.annotations.NullMarked;
