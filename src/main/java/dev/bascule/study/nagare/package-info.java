/** Frames through a streaming fabric: a stream for each flow, or the CPU in the middle, and what that cost. */
@NullMarked
package dev.bascule.study.nagare;

import org.jspecify.annotations.NullMarked;
