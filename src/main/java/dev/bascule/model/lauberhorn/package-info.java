/**
 * A software model of Lauberhorn's NIC (arXiv:2501.10138): decodes RPCs as they stream in, knows which thread waits on
 * which core, and answers held loads. Not bit-exact: the prototype's sizes and rules, lines of this project's own.
 */
@NullMarked
package dev.bascule.model.lauberhorn;

import org.jspecify.annotations.NullMarked;
