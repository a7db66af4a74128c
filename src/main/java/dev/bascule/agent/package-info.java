/**
 * The agent API in ghOSt's vocabulary (SOSP'21): enclaves, channels, messages, status words, transactions and their
 * outcomes, and the host's mechanism as a pure state machine. Knows no device and no transport.
 */
@NullMarked
package dev.bascule.agent;

import org.jspecify.annotations.NullMarked;
