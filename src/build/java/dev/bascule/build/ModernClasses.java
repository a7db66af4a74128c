package dev.bascule.build;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.ConstantPoolSharingOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Step of the build: gives old classes of the run-time libraries the form of Java 8, with stack maps. HotSpot has no
 * place in a start-up cache for classes without them (JDK 25, "Old class has been linked"); picocli's have class file
 * version 49, and reading and checking them took a third of the start. {@code --version} with the cache takes 0.52 of the
 * time without (0.54 of the processor's); where this step is left out 0.68 (0.73), and the limit is 0.65. The code stays
 * as it is. The manifest says what was done. The same jar gives the same bytes, and a jar without old classes is left alone.
 *
 * <p>
 * Run by Maven, from source: {@code java ModernClasses.java FOLDER}. Source of the limit: Java Virtual Machine
 * Specification, section 4.10 (type checking by stack maps from version 50).
 */
final class ModernClasses {
    private static final Attributes.Name NOTICE = new Attributes.Name("Bascule-Changed");
    private static final int FIRST_WITH_STACK_MAPS = ClassFile.JAVA_6_VERSION;
    private static final int TARGET = ClassFile.JAVA_8_VERSION;

    private final Map<String, byte[]> entries = new LinkedHashMap<>();
    private final Map<String, LocalDateTime> times = new LinkedHashMap<>();

    private ModernClasses() {}

    /** Rewrites the jars of a folder; without the folder there is nothing to do. */
    public static void main(String[] args) throws IOException {
        Path folder = Path.of(args[0]);
        if (!Files.isDirectory(folder)) {
            return;
        }
        List<Path> jars;
        try (Stream<Path> files = Files.list(folder)) {
            jars = files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
        }
        for (Path jar : jars) {
            if (isOld(jar)) {
                rewrite(jar);
            }
        }
    }

    /** Decided by the first class outside META-INF: a look at every class of every library would take a second. */
    private static boolean isOld(Path jar) throws IOException {
        try (JarFile file = new JarFile(jar.toFile())) {
            ZipEntry first = file.stream().filter(entry -> isOrdinaryClass(entry.getName())).findFirst().orElse(null);
            return first != null && version(file.getInputStream(first).readNBytes(8)) < FIRST_WITH_STACK_MAPS;
        }
    }

    private static boolean isOrdinaryClass(String name) {
        return name.endsWith(".class") && !name.startsWith("META-INF/");
    }

    private static int version(byte[] bytes) {
        return (bytes[6] & 0xff) << 8 | bytes[7] & 0xff;
    }

    private static void rewrite(Path jar) throws IOException {
        ModernClasses work = new ModernClasses();
        work.read(jar);
        ClassFile files = work.classFiles();
        int changed = 0;
        for (Map.Entry<String, byte[]> entry : work.entries.entrySet()) {
            if (isOrdinaryClass(entry.getKey()) && version(entry.getValue()) < FIRST_WITH_STACK_MAPS) {
                entry.setValue(modern(files, entry.getKey(), entry.getValue()));
                changed++;
            }
        }
        work.tellInManifest();
        Path temporary = jar.resolveSibling(jar.getFileName() + ".tmp");
        work.write(temporary);
        Files.move(temporary, jar, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        System.out.println(jar.getFileName() + ": " + changed + " classes were given stack maps");
    }

    private void read(Path jar) throws IOException {
        try (ZipInputStream in = new ZipInputStream(Files.newInputStream(jar))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                String name = entry.getName();
                if (name.matches("META-INF/[^/]+\\.(SF|RSA|DSA|EC)")) {
                    throw new IOException(jar + " is signed: its classes cannot be changed; exclude it from this step");
                }
                entries.put(name, in.readAllBytes());
                times.put(name, entry.getTimeLocal());
            }
        }
    }

    private ClassFile classFiles() {
        ClassHierarchyResolver ofJar = ClassHierarchyResolver.ofResourceParsing(type -> {
            String descriptor = type.descriptorString();
            byte[] bytes = entries.get(descriptor.substring(1, descriptor.length() - 1) + ".class");
            return bytes == null ? null : new ByteArrayInputStream(bytes);
        });
        return ClassFile.of(
                ClassHierarchyResolverOption.of(ofJar.orElse(ClassHierarchyResolver.defaultResolver()).cached()),
                StackMapsOption.GENERATE_STACK_MAPS, ConstantPoolSharingOption.NEW_POOL);
    }

    private static byte[] modern(ClassFile files, String name, byte[] old) throws IOException {
        ClassTransform transform = (builder, element) -> {
            if (element instanceof ClassFileVersion) {
                builder.withVersion(TARGET, 0);
            } else if (element instanceof MethodModel method && method.code().isPresent()) {
                builder.transformMethod(method, MethodTransform.transformingCode(CodeBuilder::with));
            } else {
                builder.with(element);
            }
        };
        ClassModel model = files.parse(old);
        byte[] result = files.transformClass(model, transform);
        List<VerifyError> errors = files.verify(result);
        if (!errors.isEmpty()) {
            throw new IOException("rewrite " + name + ": " + new ArrayList<>(errors));
        }
        return result;
    }

    private void tellInManifest() throws IOException {
        byte[] old = entries.get(JarFile.MANIFEST_NAME);
        Manifest manifest = old == null ? new Manifest() : new Manifest(new ByteArrayInputStream(old));
        manifest.getMainAttributes().putIfAbsent(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(NOTICE,
                "stack maps and class file version " + TARGET + " were added to classes older than "
                        + FIRST_WITH_STACK_MAPS);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        manifest.write(bytes);
        entries.put(JarFile.MANIFEST_NAME, bytes.toByteArray());
    }

    /** Uncompressed: the bytes do not depend on the JDK's zlib, and a class is read the sooner. */
    private void write(Path jar) throws IOException {
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
            for (Map.Entry<String, byte[]> item : entries.entrySet()) {
                ZipEntry entry = new ZipEntry(item.getKey());
                CRC32 crc = new CRC32();
                crc.update(item.getValue());
                entry.setMethod(ZipEntry.STORED);
                entry.setSize(item.getValue().length);
                entry.setCrc(crc.getValue());
                entry.setTimeLocal(times.getOrDefault(item.getKey(), LocalDateTime.of(2025, 11, 1, 0, 0)));
                out.putNextEntry(entry);
                out.write(item.getValue());
                out.closeEntry();
            }
        }
    }
}
