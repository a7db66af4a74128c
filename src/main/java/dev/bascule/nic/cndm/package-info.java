/**
 * Driver of cndm, the card that Corundum's development goes on as: profiles micro and lite. One command mailbox,
 * rings of 16-byte entries, MSI, a PTP clock; no checksums, no spreading of flows.
 */
@NullMarked
package dev.bascule.nic.cndm;

import org.jspecify.annotations.NullMarked;
