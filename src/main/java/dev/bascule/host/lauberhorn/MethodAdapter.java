package dev.bascule.host.lauberhorn;

import static java.lang.invoke.MethodType.methodType;

import dev.bascule.rpc.Signature;
import dev.bascule.rpc.ValueType;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;

/**
 * Methods as handlers: a chain of method handles that reads each argument from its word, calls the method and writes the
 * result into its word. Numbers are not boxed on the way.
 */
final class MethodAdapter {
    private static final MethodHandles.Lookup OWN = MethodHandles.lookup();

    private MethodAdapter() {}

    /** Where the next value lies. */
    private static final class Place {
        int next;
    }

    static Signature signature(Method method) {
        List<ValueType> arguments = new ArrayList<>();
        for (Class<?> type : method.getParameterTypes()) {
            arguments.addAll(types(type, "argument of " + method));
        }
        Class<?> returned = method.getReturnType();
        return new Signature(arguments, returned == void.class ? List.of() : types(returned, "result of " + method));
    }

    static List<ValueType> types(Class<?> type, String where) {
        if (type.isRecord()) {
            List<ValueType> all = new ArrayList<>();
            for (RecordComponent component : type.getRecordComponents()) {
                all.addAll(types(component.getType(), where));
            }
            return all;
        }
        return List.of(valueType(type, where));
    }

    private static ValueType valueType(Class<?> type, String where) {
        if (type == int.class) {
            return ValueType.INT;
        } else if (type == long.class) {
            return ValueType.LONG;
        } else if (type == boolean.class) {
            return ValueType.BOOL;
        } else if (type == float.class) {
            return ValueType.FLOAT;
        } else if (type == double.class) {
            return ValueType.DOUBLE;
        } else if (type == String.class) {
            return ValueType.STRING;
        } else if (type == byte[].class) {
            return ValueType.OPAQUE;
        }
        throw new IllegalArgumentException(where + " is of type " + type.getName()
                + ", which has no form on the wire; there are int, long, boolean, float, double, String, byte[] and"
                + " records of these");
    }

    /** The method of the object as a handler. */
    static RpcHandler handler(MethodHandles.Lookup lookup, Method method, Class<?> type, Object object) {
        try {
            MethodHandle call = access(lookup, method, type).bindTo(object);
            Place place = new Place();
            MethodHandle[] readers = new MethodHandle[method.getParameterCount()];
            for (int i = 0; i < readers.length; i++) {
                readers[i] = reader(method.getParameterTypes()[i], place);
            }
            MethodHandle whole = collect(call, readers);
            Class<?> returned = method.getReturnType();
            if (returned != void.class) {
                int parts = types(returned, "result").size();
                whole = MethodHandles.foldArguments(writer(returned, new Place(), parts), whole);
            }
            return new Adapted(whole);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException("cannot call " + method + ": " + e.getMessage()
                    + "; make the interface public, or open its package to dev.bascule", e);
        }
    }

    private static MethodHandle access(MethodHandles.Lookup lookup, Method method, Class<?> type)
            throws IllegalAccessException {
        if (!method.trySetAccessible()) {
            return MethodHandles.privateLookupIn(type, lookup).unreflect(method);
        }
        return lookup.unreflect(method);
    }

    /** A handle of (RpcCall) that reads each argument and passes them on. */
    private static MethodHandle collect(MethodHandle target, MethodHandle[] readers) {
        if (readers.length == 0) {
            return MethodHandles.dropArguments(target, 0, RpcCall.class);
        }
        MethodHandle filtered = MethodHandles.filterArguments(target, 0, readers);
        return MethodHandles.permuteArguments(filtered, methodType(target.type().returnType(), RpcCall.class),
                new int[readers.length]);
    }

    private static MethodHandle reader(Class<?> type, Place place) throws ReflectiveOperationException {
        if (type.isRecord()) {
            RecordComponent[] components = type.getRecordComponents();
            Class<?>[] types = new Class<?>[components.length];
            MethodHandle[] readers = new MethodHandle[components.length];
            for (int i = 0; i < components.length; i++) {
                types[i] = components[i].getType();
                readers[i] = reader(types[i], place);
            }
            var constructor = type.getDeclaredConstructor(types);
            constructor.trySetAccessible();
            return collect(OWN.unreflectConstructor(constructor), readers);
        }
        String name = type == byte[].class ? "opaqueAt" : type == String.class ? "stringAt" : type.getName() + "At";
        return MethodHandles.insertArguments(
                OWN.findVirtual(RpcCall.class, name, methodType(type, int.class)), 1, place.next++);
    }

    /** A handle of (value, RpcCall) that writes the value. */
    private static MethodHandle writer(Class<?> type, Place place, int parts) throws ReflectiveOperationException {
        MethodHandle first = MethodHandles.insertArguments(
                OWN.findVirtual(RpcCall.class, "parts", methodType(void.class, int.class)), 1, parts);
        MethodHandle all = MethodHandles.dropArguments(first, 0, type);
        return append(all, type, MethodHandles.identity(type), place);
    }

    /** After {@code all}, writes what {@code get} takes out of the value. */
    private static MethodHandle append(MethodHandle all, Class<?> type, MethodHandle get, Place place)
            throws ReflectiveOperationException {
        MethodHandle result = all;
        if (type.isRecord()) {
            for (RecordComponent component : type.getRecordComponents()) {
                Method accessor = component.getAccessor();
                accessor.trySetAccessible();
                MethodHandle part = MethodHandles.filterReturnValue(get, OWN.unreflect(accessor));
                result = append(result, component.getType(), part, place);
            }
            return result;
        }
        MethodHandle set = MethodHandles.insertArguments(setter(type), 1, place.next++); // (RpcCall, T)
        MethodHandle swapped = MethodHandles.permuteArguments(set, methodType(void.class, type, RpcCall.class), 1, 0);
        MethodHandle write = MethodHandles.filterArguments(swapped, 0, get); // (value, RpcCall)
        return MethodHandles.foldArguments(write, result);
    }

    private static MethodHandle setter(Class<?> type) throws ReflectiveOperationException {
        if (type == byte[].class) {
            return OWN.findStatic(MethodAdapter.class, "setOpaque",
                    methodType(void.class, RpcCall.class, int.class, byte[].class));
        }
        String simple = type.getSimpleName();
        String name = "set" + Character.toUpperCase(simple.charAt(0)) + simple.substring(1);
        return OWN.findVirtual(RpcCall.class, name, methodType(void.class, int.class, type));
    }

    private static void setOpaque(RpcCall call, int place, byte[] value) {
        call.setOpaque(place, value, 0, value.length);
    }

    /** A chain as a handler. */
    private record Adapted(MethodHandle chain) implements RpcHandler {
        @Override
        public void handle(RpcCall call) {
            try {
                chain.invokeExact(call);
            } catch (RuntimeException | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException("an RPC method failed: " + e, e);
            }
        }
    }
}
