/**
 * vfio-user: a device on the other side of a UNIX socket. {@link dev.bascule.vfiouser.VfioUserServer} exports any device
 * model to virtual machine monitors and to drivers of other processes; {@link dev.bascule.vfiouser.VfioUserDevice} is a
 * driver's backing for a device that another process serves. Protocol 0.1, as QEMU's documentation publishes it.
 */
@NullMarked
package dev.bascule.vfiouser;

import org.jspecify.annotations.NullMarked;
