/** Model of QEMU's edu device, so that its driver runs without a virtual machine. */
@NullMarked
package dev.bascule.model.edu;

import org.jspecify.annotations.NullMarked;
