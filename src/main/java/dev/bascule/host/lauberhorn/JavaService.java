package dev.bascule.host.lauberhorn;

import dev.bascule.rpc.Signature;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A service as its process has it: number, version, and for each procedure its signature and who serves it. Made from an
 * interface and an object that implements it, or procedure by procedure.
 *
 * <pre>{@code
 * @RpcProgram(number = 0x20000001)
 * interface Sums {
 *     @RpcProcedure(1)
 *     long add(long a, long b);
 * }
 * JavaService sums = JavaService.of(Sums.class, (a, b) -> a + b);
 * }</pre>
 *
 * Types: int, long, boolean, float, double, String, byte[], and records of these; the result may be void.
 * <p>
 * Thread rule: immutable. The object is called by all threads of its process at once.
 */
public final class JavaService {
    private static final int MOST_PROCEDURES = 0xffff;

    private final int program;
    private final int version;
    private final Map<Integer, Procedure> procedures;

    /** A procedure. */
    record Procedure(int number, String name, Signature signature, RpcHandler handler) {}

    private JavaService(int program, int version, Map<Integer, Procedure> procedures) {
        this.program = program;
        this.version = version;
        this.procedures = procedures;
    }

    /** A service without procedures but number 0, which does nothing; add others by {@link #with}. */
    public static JavaService empty(int program, int version) {
        Map<Integer, Procedure> only = new TreeMap<>();
        only.put(0, new Procedure(0, "null", Signature.NULL, call -> {}));
        return new JavaService(program, version, only);
    }

    /**
     * A service from an interface.
     *
     * @param type an interface with {@link RpcProgram}, whose abstract methods have {@link RpcProcedure}
     * @param object serves the calls
     * @throws IllegalArgumentException if the interface is no service; says what is wrong with which method
     */
    public static <T> JavaService of(Class<T> type, T object) {
        RpcProgram numbers = type.getAnnotation(RpcProgram.class);
        if (numbers == null || !type.isInterface()) {
            throw new IllegalArgumentException(type.getName()
                    + " is no service: it must be an interface with @RpcProgram(number = ...)");
        }
        JavaService service = empty(numbers.number(), numbers.version());
        for (Method method : type.getMethods()) {
            RpcProcedure number = method.getAnnotation(RpcProcedure.class);
            if (number != null) {
                service = service.with(number.value(), method.getName(), MethodAdapter.signature(method),
                        MethodAdapter.handler(MethodHandles.lookup(), method, type, object));
            } else if (java.lang.reflect.Modifier.isAbstract(method.getModifiers())) {
                throw new IllegalArgumentException(method + " has no @RpcProcedure(number)");
            }
        }
        return service;
    }

    /**
     * This with one more procedure.
     *
     * @throws IllegalArgumentException if the number is taken or out of range
     */
    public JavaService with(int number, String name, Signature signature, RpcHandler handler) {
        if (number < 1 || number > MOST_PROCEDURES || procedures.containsKey(number)) {
            throw new IllegalArgumentException("procedure " + name + " of " + this + ": number " + number
                    + (procedures.containsKey(number) ? " is taken" : " is not in 1 to " + MOST_PROCEDURES));
        }
        Map<Integer, Procedure> more = new TreeMap<>(procedures);
        more.put(number, new Procedure(number, name, signature, handler));
        return new JavaService(program, version, more);
    }

    /** Program number. */
    public int program() {
        return program;
    }

    /** Version of the program. */
    public int version() {
        return version;
    }

    List<Procedure> procedures() {
        return List.copyOf(procedures.values());
    }

    /** Procedures of the service, one a line: {@code 1 add(long, long) -> long}. */
    public List<String> listing() {
        List<String> lines = new ArrayList<>();
        procedures.values().forEach(p -> lines.add(p.number + " " + p.name + p.signature));
        return lines;
    }

    /** The signature of a procedure. */
    Signature signature(int number) {
        Procedure found = procedures.get(number);
        if (found == null) {
            throw new IllegalArgumentException(this + " has no procedure " + number);
        }
        return found.signature;
    }

    @Override
    public String toString() {
        return "program 0x" + Integer.toHexString(program) + " version " + version;
    }
}
