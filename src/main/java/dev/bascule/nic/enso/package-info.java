/** Driver side of an Ensō NIC: the register map and the formats of what travels through host memory. */
@NullMarked
package dev.bascule.nic.enso;

import org.jspecify.annotations.NullMarked;
