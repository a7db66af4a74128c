/** From a graph as somebody wrote it to devices in a fabric and the tables of its switch: checked, compiled, dumped. */
@NullMarked
package dev.bascule.study.fabric.graph;

import org.jspecify.annotations.NullMarked;
