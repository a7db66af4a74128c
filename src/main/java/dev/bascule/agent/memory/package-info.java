/**
 * Memory management by an agent beside the host, over any transport: the host scans page-access bits and moves pages, the
 * agent decides. A transport gives both a {@link dev.bascule.agent.memory.PageHostEnd} and a
 * {@link dev.bascule.agent.memory.PageAgentEnd}.
 */
@NullMarked
package dev.bascule.agent.memory;

import org.jspecify.annotations.NullMarked;
