/**
 * Corundum (mqnic): what the hardware interface is made of. {@link dev.bascule.nic.corundum.MqnicRegisters} and
 * {@link dev.bascule.nic.corundum.MqnicFormats} hold constants only, shared by driver and device model.
 */
@NullMarked
package dev.bascule.nic.corundum;

import org.jspecify.annotations.NullMarked;
