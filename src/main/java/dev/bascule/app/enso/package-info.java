/** Reproduces Ensō's argument on the models: what each packet costs on the PCIe bus, exactly counted. */
@NullMarked
package dev.bascule.app.enso;

import org.jspecify.annotations.NullMarked;
