/** Reproduces Lauberhorn's argument: three ways to serve a mix of RPC services, simulated, and what each costs live. */
@NullMarked
package dev.bascule.study.lauberhorn;

import org.jspecify.annotations.NullMarked;
