/** Driver of an Ensō NIC: pipes, notification buffers, flows; and the register map and formats shared with its model. */
@NullMarked
package dev.bascule.nic.enso;

import org.jspecify.annotations.NullMarked;
