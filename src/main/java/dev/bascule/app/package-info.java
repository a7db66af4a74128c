/**
 * Applications on the {@code nic} API, small and meant to be read first: {@link dev.bascule.app.Forwarder} polls, writes
 * and commits bursts, {@link dev.bascule.app.Mirror} is called for one packet at a time.
 */
@NullMarked
package dev.bascule.app;

import org.jspecify.annotations.NullMarked;
