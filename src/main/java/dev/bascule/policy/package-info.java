/** Policies meant to be read and copied: each knows only the agent API. */
@NullMarked
package dev.bascule.policy;

import org.jspecify.annotations.NullMarked;
