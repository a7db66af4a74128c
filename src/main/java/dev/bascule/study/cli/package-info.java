/** The study wing's commands; they come to the program through {@link dev.bascule.cli.Extension}. */
@NullMarked
package dev.bascule.study.cli;

import org.jspecify.annotations.NullMarked;
