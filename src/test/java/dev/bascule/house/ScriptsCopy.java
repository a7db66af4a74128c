package dev.bascule.house;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;

/** A clone's scripts beside what was built, in a folder whose path has spaces; nothing is built or installed there. */
final class ScriptsCopy {
    private ScriptsCopy() {}

    /** Makes it in {@code temporary}, fills {@code environment} for its scripts, and returns the clone's folder. */
    static Path make(Path temporary, Map<String, String> environment) throws Exception {
        Path clone = Files.createDirectories(temporary.resolve("a path with spaces"));
        for (Path script : House.files("scripts")) {
            Path copy = clone.resolve(House.relative(script));
            Files.createDirectories(copy.getParent());
            Files.copy(script, copy, StandardCopyOption.COPY_ATTRIBUTES);
        }
        Path target = Files.createDirectories(clone.resolve("target"));
        for (String jar : List.of("bascule.jar", "bascule-study.jar")) {
            Files.createSymbolicLink(target.resolve(jar), House.BUILD.resolve(jar));
        }
        Files.createSymbolicLink(target.resolve("lib"), House.BUILD.resolve("lib"));
        Files.createDirectories(clone.resolve("src/test"));
        Files.createSymbolicLink(clone.resolve("src/test/java"), House.BASE.resolve("src/test/java")); // scripts/test starts there
        environment.put("PATH", "/usr/bin:/bin");
        environment.put("HOME", temporary.toString());
        environment.put("BASCULE_NO_BUILD", "1");
        environment.put("BASCULE_INSTALL", "no");
        environment.put("BASCULE_JAVA_HOME", System.getProperty("java.home"));
        return clone;
    }
}
