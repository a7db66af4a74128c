package dev.bascule.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The build's step that gives old classes of libraries stack maps. */
@Tag("process")
class ModernClassesTest {
    @TempDir
    private Path folder = Path.of("");

    /** {@code static int larger(int, int)}: it branches, so from version 50 it needs a stack map. */
    private static byte[] larger(int version) {
        return ClassFile.of(version < 50 ? StackMapsOption.DROP_STACK_MAPS : StackMapsOption.STACK_MAPS_WHEN_REQUIRED)
                .build(ClassDesc.of("old.Larger"), type -> type.withVersion(version, 0)
                        .withFlags(ClassFile.ACC_PUBLIC | ClassFile.ACC_SUPER)
                        .withMethodBody("larger",
                                MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_int, ConstantDescs.CD_int),
                                ClassFile.ACC_PUBLIC | ClassFile.ACC_STATIC, code -> {
                                    Label second = code.newLabel();
                                    code.iload(0).iload(1).if_icmplt(second).iload(0).ireturn();
                                    code.labelBinding(second).iload(1).ireturn();
                                }));
    }

    private Path jar(String name, Map<String, byte[]> entries) throws Exception {
        Path jar = folder.resolve(name);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (Map.Entry<String, byte[]> item : new TreeMap<>(entries).entrySet()) {
                JarEntry entry = new JarEntry(item.getKey());
                entry.setTimeLocal(LocalDateTime.of(2020, 2, 2, 2, 2));
                out.putNextEntry(entry);
                out.write(item.getValue());
            }
        }
        return jar;
    }

    private Command rewrite() throws Exception {
        return Command.java("-XX:TieredStopAtLevel=1",
                House.BASE.resolve("src/build/java/dev/bascule/build/ModernClasses.java").toString(),
                folder.toString());
    }

    @Test
    void anOldClassGetsStackMapsAndDoesTheSame() throws Exception {
        Path jar = jar("old.jar", Map.of("old/Larger.class", larger(49), "text", "kept".getBytes("US-ASCII")));
        Command command = rewrite();
        assertThat(command.out()).as(command.err()).contains("old.jar: 1 classes were given stack maps");
        try (JarFile file = new JarFile(jar.toFile())) {
            byte[] type = file.getInputStream(file.getEntry("old/Larger.class")).readAllBytes();
            assertThat(ClassFile.of().parse(type).majorVersion()).isEqualTo(52);
            assertThat(file.getInputStream(file.getEntry("text"))).hasContent("kept");
            assertThat(file.getEntry("text").getTimeLocal()).isEqualTo(LocalDateTime.of(2020, 2, 2, 2, 2));
            assertThat(file.getManifest().getMainAttributes().getValue("Bascule-Changed")).contains("older than 50");
        }
        try (URLClassLoader loader = new URLClassLoader(new URL[] { jar.toUri().toURL() }, null)) {
            var larger = loader.loadClass("old.Larger").getMethod("larger", int.class, int.class);
            assertThat(larger.invoke(null, 3, 7)).isEqualTo(7);
            assertThat(larger.invoke(null, 9, 7)).isEqualTo(9);
        }
    }

    @Test
    void theSameJarGivesTheSameBytesAndASecondRunChangesNothing() throws Exception {
        Path one = jar("one.jar", Map.of("old/Larger.class", larger(49)));
        Path two = jar("two.jar", Map.of("old/Larger.class", larger(49)));
        rewrite();
        byte[] first = Files.readAllBytes(one);
        assertThat(Files.readAllBytes(two)).isEqualTo(first);
        Command again = rewrite();
        assertThat(again.out()).isEmpty();
        assertThat(Files.readAllBytes(one)).isEqualTo(first);
    }

    @Test
    void aJarOfModernClassesIsLeftAloneAndASignedOneRefused() throws Exception {
        Path modern = jar("modern.jar", Map.of("old/Larger.class", larger(50)));
        byte[] before = Files.readAllBytes(modern);
        assertThat(rewrite().status()).isZero();
        assertThat(Files.readAllBytes(modern)).isEqualTo(before);
        Path signed = jar("signed.jar", Map.of("META-INF/X.SF", new byte[0], "old/Larger.class", larger(49)));
        before = Files.readAllBytes(signed);
        Command command = rewrite();
        assertThat(command.status()).isNotZero();
        assertThat(command.err()).contains("signed.jar is signed");
        assertThat(Files.readAllBytes(signed)).isEqualTo(before);
    }
}
