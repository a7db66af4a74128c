package dev.bascule.host.lauberhorn;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A method that is a procedure of its {@link RpcProgram}. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface RpcProcedure {
    /** Number of the procedure, 1 to 65535; 0 is the procedure that does nothing, which every service has. */
    int value();
}
