/** Driver of virtio-net, modern form: the network card of virtual machines, and of some real ones. */
@NullMarked
package dev.bascule.nic.virtio;

import org.jspecify.annotations.NullMarked;
