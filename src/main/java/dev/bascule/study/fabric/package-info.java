/**
 * A programmable PCIe switch whose devices push streams to each other, as Nagare proposes: a plain write into a stream's
 * window pushes data, match and action stages route it by a policy graph, and the CPU acts only when a stream is set up.
 * Devices that know nothing of streams are driven over their own descriptor rings, by the CPU or by the switch.
 * <p>
 * Everything carries real bytes in virtual time. Source: H. Sadok's thesis proposal (Carnegie Mellon University), section
 * 4. Thread rule of the package: one thread a fabric.
 */
@NullMarked
package dev.bascule.study.fabric;

import org.jspecify.annotations.NullMarked;
