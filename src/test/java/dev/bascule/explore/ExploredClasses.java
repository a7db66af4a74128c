package dev.bascule.explore;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.Set;

/**
 * Loads the production classes with their accesses to shared memory turned into calls of {@link ExploredMemory}: the
 * words by address below every window and ring, the fences, and the clearing of a bank. Nothing else is changed.
 */
final class ExploredClasses extends ClassLoader {
    private static final String HERE = "dev.bascule.explore.";
    /** The explorer itself, which both worlds share; scenes are loaded here. */
    private static final Set<String> OUTSIDE = Set.of("Explorer", "ExploredMemory", "ExploredLock", "Choices");
    private static final ClassDesc MEMORY = ClassDesc.of(HERE + "ExploredMemory");
    private static final Set<String> WORDS = Set.of("dev/bascule/ffi/RawWords", "dev/bascule/ffi/RawMemory");
    /** What CPUs share in the host's own tables: a place to switch, and no store buffer. */
    private static final Set<String> STATES = Set.of("compareAndSet", "getAcquire", "setRelease");
    private static final Set<String> FENCES = Set.of("fullFence", "releaseFence");

    ExploredClasses() {
        super(ExploredClasses.class.getClassLoader());
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
                    ClassTransform.transformingMethodBodies(accesses()));
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static CodeTransform accesses() {
        return (code, element) -> {
            if (!(element instanceof InvokeInstruction call)) {
                code.with(element);
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
