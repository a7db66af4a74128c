/** Driver of QEMU's edu device: no NIC, but every mechanism a NIC driver needs, one at a time. */
@NullMarked
package dev.bascule.nic.edu;

import org.jspecify.annotations.NullMarked;
