/**
 * Applications on the {@code nic} API, small and meant to be read first: {@link dev.bascule.app.Forwarder} polls, writes
 * and commits bursts, {@link dev.bascule.app.Mirror} is called for one packet at a time. Most are
 * {@link dev.bascule.nic.PacketProcessor}s: {@link dev.bascule.nic.PipeLoop} runs them where bytes arrive as a stream,
 * {@link dev.bascule.nic.ProcessorLoop} where they arrive as packets, with the same processing.
 */
@NullMarked
package dev.bascule.app;

import org.jspecify.annotations.NullMarked;
