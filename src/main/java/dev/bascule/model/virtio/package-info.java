/** Model of a virtio network card, so that its driver runs without a virtual machine. */
@NullMarked
package dev.bascule.model.virtio;

import org.jspecify.annotations.NullMarked;
