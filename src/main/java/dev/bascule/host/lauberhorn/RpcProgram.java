package dev.bascule.host.lauberhorn;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** An interface that is an RPC service: its number and version, as ONC RPC counts them. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface RpcProgram {
    /** Program number; 0x20000000 to 0x3fffffff are for everybody's own. */
    int number();

    /** Version of the program. */
    int version() default 1;
}
