/** The live page of running hosts and their metrics, by the JDK's HTTP server; it reads run directories only. */
@NullMarked
package dev.bascule.web;

import org.jspecify.annotations.NullMarked;
