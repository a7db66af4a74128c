/**
 * Hardware configurations: reads {@code hw-configs/NAME.yaml} into plain records and refuses what it does not know,
 * with file, line and column. Knows nothing of the devices it describes.
 */
@NullMarked
package dev.bascule.config;

import org.jspecify.annotations.NullMarked;
