/**
 * Replays captures of Corundum's RTL on the model: the capture's register writes, memory contents and frames go in, and
 * everything the model then does is compared with what the hardware did.
 */
@NullMarked
package dev.bascule.model.corundum.replay;

import org.jspecify.annotations.NullMarked;
