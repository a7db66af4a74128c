package dev.bascule.wave.rpc;

import dev.bascule.agent.MessageReceiver;
import dev.bascule.wave.BulkSender;

/**
 * The agent's side of one core.
 *
 * @param requests end of the core's bulk queue, to the host
 * @param answers end of its MMIO queue, from the host
 */
public record CoreLink(BulkSender requests, MessageReceiver answers) {}
