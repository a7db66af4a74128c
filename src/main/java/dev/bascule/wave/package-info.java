/**
 * Wave's transport (ASPLOS'25): one-way queues between host and SmartNIC over PCIe memory, and transactions that the
 * host validates.
 * <p>
 * Wave's calls and where they are: TXN_CREATE is {@code WaveAgent.stage}, TXNS_COMMIT {@code WaveAgent.commit},
 * POLL_TXNS {@code WaveHost.poll}, SET_TXNS_OUTCOMES {@code WaveHost.settle}, POLL_TXNS_OUTCOMES
 * {@code WaveAgent.outcomes}, PREFETCH_TXNS {@code WaveHost.want}, SEND_MESSAGES {@code WaveHost.post},
 * POLL_MESSAGES {@code WaveAgent.peek}. CREATE_QUEUE, SET_QUEUE_TYPE, ASSOC_QUEUE_WITH and DESTROY_QUEUE are
 * {@code WaveQueues.create}, {@code setType}, {@code associate} and {@code destroy}; queues of type DMA are
 * {@code BulkSender} and {@code BulkReceiver}.
 */
@NullMarked
package dev.bascule.wave;

import org.jspecify.annotations.NullMarked;
