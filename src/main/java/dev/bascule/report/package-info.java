/** Results of a run: plain records, a text table, JSON, and one self-contained HTML page with charts. */
@NullMarked
package dev.bascule.report;

import org.jspecify.annotations.NullMarked;
