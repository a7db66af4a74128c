/**
 * Corundum (mqnic): what the hardware interface is made of. {@link dev.bascule.nic.corundum.MqnicRegisters} and
 * {@link dev.bascule.nic.corundum.MqnicFormats} hold constants only, shared by driver and device model. The driver starts
 * at {@link dev.bascule.nic.corundum.CorundumAdapter}.
 */
@NullMarked
package dev.bascule.nic.corundum;

import org.jspecify.annotations.NullMarked;
