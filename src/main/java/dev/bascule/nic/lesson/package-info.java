/**
 * Driver of the lesson card, a small NIC in Verilog ({@code native/cosim/example/nic.v}): the tutorial of drivers for one's
 * own RTL. Start with {@link dev.bascule.nic.lesson.LessonNic}.
 */
@NullMarked
package dev.bascule.nic.lesson;

import org.jspecify.annotations.NullMarked;
