package dev.bascule.explore;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Loads the production classes with their accesses to shared memory turned into calls of {@link ExploredMemory}: the
 * words by address below every window and ring, the fences, and the clearing of a bank. Nothing else is changed.
 */
final class ExploredClasses extends ClassLoader {
    private static final String HERE = "dev.bascule.explore.";
    /** The explorer itself, which both worlds share; scenes are loaded here. */
    private static final Set<String> OUTSIDE = Set.of("Explorer", "ExploredMemory", "ExploredLock", "Choices",
            "Sampler");
    private static final ClassDesc MEMORY = ClassDesc.of(HERE + "ExploredMemory");
    private static final Set<String> WORDS = Set.of("dev/bascule/ffi/RawWords", "dev/bascule/ffi/RawMemory");
    /** What CPUs share in the host's own tables: a place to switch, and no store buffer. */
    private static final Set<String> STATES = Set.of("compareAndSet", "getAcquire", "setRelease");
    private static final Set<String> FENCES = Set.of("fullFence", "releaseFence");

    /**
     * Fault that is planted: calls without a value that a method makes no more.
     *
     * @param owner simple name of the class
     * @param method that makes them
     * @param call name of what it calls
     */
    record Fault(String owner, String method, String call) {
        @Override
        public String toString() {
            return owner + "." + method + " without " + call;
        }
    }

    private final @Nullable Fault fault;
    private int planted;

    ExploredClasses() {
        this(null);
    }

    ExploredClasses(@Nullable Fault fault) {
        super(ExploredClasses.class.getClassLoader());
        this.fault = fault;
    }

    /** Calls that were left out. */
    int planted() {
        return planted;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith("dev.bascule.") || isOutside(name)) {
            return super.loadClass(name, resolve);
        }
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? define(name) : loaded;
    }

    private static boolean isOutside(String name) {
        int nested = name.indexOf('$');
        String top = nested < 0 ? name : name.substring(0, nested);
        return top.startsWith(HERE) && OUTSIDE.contains(top.substring(HERE.length()));
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (file == null) {
                throw new ClassNotFoundException(name);
            }
            ClassFile classes = ClassFile.of();
            byte[] bytes = classes.transformClass(classes.parse(file.readAllBytes()),
                    (builder, element) -> {
                        if (element instanceof MethodModel method) {
                            builder.transformMethod(method,
                                    MethodTransform
                                            .transformingCode(accesses(name, method.methodName().stringValue())));
                        } else {
                            builder.with(element);
                        }
                    });
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean isLeftOut(String owner, String method, InvokeInstruction call) {
        Fault wrong = fault;
        return wrong != null && (owner.endsWith("." + wrong.owner) || owner.endsWith("$" + wrong.owner))
                && method.equals(wrong.method) && call.name().equalsString(wrong.call);
    }

    private CodeTransform accesses(String in, String from) {
        return (code, element) -> {
            if (!(element instanceof InvokeInstruction call)) {
                code.with(element);
                return;
            }
            if (isLeftOut(in, from, call)) {
                planted++;
                if (call.opcode() != Opcode.INVOKESTATIC) {
                    code.pop();
                }
                return;
            }
            String owner = call.owner().asInternalName();
            String method = call.name().stringValue();
            MethodTypeDesc type = call.typeSymbol();
            if (WORDS.contains(owner) || owner.equals("java/lang/invoke/VarHandle") && FENCES.contains(method)) {
                code.invokestatic(MEMORY, method, type);
            } else if (owner.equals("java/lang/foreign/MemorySegment") && method.equals("fill")) {
                code.invokestatic(MEMORY, method, type.insertParameterTypes(0, call.owner().asSymbol()));
            } else if (owner.equals("java/lang/invoke/VarHandle") && STATES.contains(method)) {
                code.invokestatic(MEMORY, "meet", MethodTypeDesc.of(ConstantDescs.CD_void));
                code.with(element);
            } else {
                code.with(element);
            }
        };
    }
}
