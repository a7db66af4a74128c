/** Policies by name or by class, with their options: one registry for every command that runs an agent. */
@NullMarked
package dev.bascule.registry;

import org.jspecify.annotations.NullMarked;
