/** The rules of the house as tests: directions between packages, restricted calls, sizes, tools, scripts. */
@NullMarked
package dev.bascule.house;

import org.jspecify.annotations.NullMarked;
