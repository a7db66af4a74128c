/**
 * For tests of policies, drivers and transports with JUnit 5: devices and transports as parameters, the transports'
 * conformance suite. The only package that needs JUnit, which a user's project brings.
 */
@NullMarked
package dev.bascule.junit;

import org.jspecify.annotations.NullMarked;
