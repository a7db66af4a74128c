/** Driver of QEMU's ivshmem-doorbell: a BAR that several machines share, and interrupts between them. */
@NullMarked
package dev.bascule.nic.ivshmem;

import org.jspecify.annotations.NullMarked;
