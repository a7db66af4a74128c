/** Reading recorded runs of device RTL (JSON lines) and reporting how a model's behaviour differs from them. */
@NullMarked
package dev.bascule.model.replay;

import org.jspecify.annotations.NullMarked;
