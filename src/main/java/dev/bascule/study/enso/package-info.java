/** Reproduces Ensō's argument on the models: what each packet costs on the PCIe bus, exactly counted, and in time. */
@NullMarked
package dev.bascule.study.enso;

import org.jspecify.annotations.NullMarked;
