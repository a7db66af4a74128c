package dev.bascule.study.fabric;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.Optional;

/** AES-128-GCM by OpenSSL's libcrypto, as the other implementation. One thread. */
final class OpenSsl implements AutoCloseable {
    private static final int CTRL_GET_TAG = 0x10;
    private static final int CTRL_SET_TAG = 0x11;
    private static final int TAG_BYTES = 16;
    private static final int NONCE_BYTES = 12;

    private final Arena arena = Arena.ofConfined();
    private final MethodHandle init;
    private final MethodHandle update;
    private final MethodHandle end;
    private final MethodHandle control;
    private final MemorySegment context;
    private final MemorySegment cipher;
    private final MemorySegment buffer = arena.allocate(1 << 15, 64);
    private final MemorySegment small = arena.allocate(64);
    private final MemorySegment count = arena.allocate(ValueLayout.JAVA_INT);

    private OpenSsl(SymbolLookup library) throws Throwable {
        Linker linker = Linker.nativeLinker();
        FunctionDescriptor pointer = FunctionDescriptor.of(ValueLayout.ADDRESS);
        context = (MemorySegment) linker.downcallHandle(symbol(library, "EVP_CIPHER_CTX_new"), pointer).invokeExact();
        cipher = (MemorySegment) linker.downcallHandle(symbol(library, "EVP_aes_128_gcm"), pointer).invokeExact();
        init = linker.downcallHandle(symbol(library, "EVP_CipherInit_ex"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS,
                        ValueLayout.ADDRESS,
                        ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
        update = linker.downcallHandle(symbol(library, "EVP_CipherUpdate"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS,
                        ValueLayout.ADDRESS,
                        ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
        end = linker.downcallHandle(symbol(library, "EVP_CipherFinal_ex"), FunctionDescriptor.of(ValueLayout.JAVA_INT,
                ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
        control = linker.downcallHandle(symbol(library, "EVP_CIPHER_CTX_ctrl"),
                FunctionDescriptor.of(ValueLayout.JAVA_INT,
                        ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
    }

    private static MemorySegment symbol(SymbolLookup library, String name) {
        return library.find(name).orElseThrow();
    }

    /** The library of this machine; empty if it has none. */
    static Optional<OpenSsl> find() {
        try {
            return Optional.of(new OpenSsl(SymbolLookup.libraryLookup("libcrypto.so.3", Arena.global())));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** Nonce, ciphertext and tag. */
    byte[] seal(byte[] key, byte[] nonce, byte[] plain) {
        byte[] sealed = Arrays.copyOf(nonce, NONCE_BYTES + plain.length + TAG_BYTES);
        byte[] body = run(true, key, nonce, plain, new byte[TAG_BYTES]);
        System.arraycopy(body, 0, sealed, NONCE_BYTES, body.length);
        return sealed;
    }

    /** The plain bytes; empty if the tag is wrong. */
    Optional<byte[]> open(byte[] key, byte[] sealed) {
        byte[] nonce = Arrays.copyOf(sealed, NONCE_BYTES);
        byte[] body = Arrays.copyOfRange(sealed, NONCE_BYTES, sealed.length - TAG_BYTES);
        byte[] tag = Arrays.copyOfRange(sealed, sealed.length - TAG_BYTES, sealed.length);
        byte[] plain = run(false, key, nonce, body, tag);
        return plain.length == 0 && body.length > 0 ? Optional.empty() : Optional.of(plain);
    }

    private byte[] run(boolean seals, byte[] key, byte[] nonce, byte[] in, byte[] tag) {
        MemorySegment input = buffer.asSlice(0, 1 << 14);
        MemorySegment output = buffer.asSlice(1 << 14);
        try {
            MemorySegment.copy(key, 0, small, ValueLayout.JAVA_BYTE, 0, 16);
            MemorySegment.copy(nonce, 0, small, ValueLayout.JAVA_BYTE, 16, NONCE_BYTES);
            MemorySegment.copy(tag, 0, small, ValueLayout.JAVA_BYTE, 32, TAG_BYTES);
            MemorySegment.copy(in, 0, input, ValueLayout.JAVA_BYTE, 0, in.length);
            check((int) init.invokeExact(context, cipher, MemorySegment.NULL, small, small.asSlice(16), seals ? 1 : 0));
            check((int) update.invokeExact(context, output, count, input, in.length));
            if (!seals) {
                check((int) control.invokeExact(context, CTRL_SET_TAG, TAG_BYTES, small.asSlice(32)));
            }
            if ((int) end.invokeExact(context, output.asSlice(in.length), count) != 1) {
                return new byte[0];
            }
            byte[] result = new byte[in.length + (seals ? TAG_BYTES : 0)];
            MemorySegment.copy(output, ValueLayout.JAVA_BYTE, 0, result, 0, in.length);
            if (seals) {
                check((int) control.invokeExact(context, CTRL_GET_TAG, TAG_BYTES, small.asSlice(32)));
                MemorySegment.copy(small, ValueLayout.JAVA_BYTE, 32, result, in.length, TAG_BYTES);
            }
            return result;
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static void check(int status) {
        if (status != 1) {
            throw new IllegalStateException("libcrypto: " + status);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
