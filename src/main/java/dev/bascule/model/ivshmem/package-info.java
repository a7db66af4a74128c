/** The other side of QEMU's ivshmem-doorbell: the server its peers meet at, and a model of the device in process. */
@NullMarked
package dev.bascule.model.ivshmem;

import org.jspecify.annotations.NullMarked;
