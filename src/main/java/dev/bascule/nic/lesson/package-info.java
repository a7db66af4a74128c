/** Driver of the card in {@code native/cosim/example/nic.v}: the tutorial of drivers for one's own RTL. Begin with {@code LessonCard}. */
@NullMarked
package dev.bascule.nic.lesson;

import org.jspecify.annotations.NullMarked;
