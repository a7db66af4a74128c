package dev.bascule.junit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Java of a page: the files that its fences name, compiled as they stand there. */
final class PageSources {
    static final Path BASE = Path.of(System.getProperty("bascule.baseDirectory", ""));
    private static final Pattern FILE = Pattern.compile("```java file=(\\w+)\\.java\n(.*?)```", Pattern.DOTALL);

    private PageSources() {}

    /** A page's text. */
    static String read(String page) {
        try {
            return Files.readString(BASE.resolve(page));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Class names and sources of the fences that name a file. */
    static Map<String, String> files(String page) {
        Map<String, String> files = new LinkedHashMap<>();
        for (Matcher file = FILE.matcher(read(page)); file.find();) {
            files.put(file.group(1), file.group(2));
        }
        return files;
    }

    /** Text of the first fence that contains some words. */
    static String fence(String page, String language, String words) {
        Pattern fence = Pattern.compile("```" + language + "\n((?:(?!```).)*?" + Pattern.quote(words)
                + ".*?)```", Pattern.DOTALL);
        Matcher found = fence.matcher(read(page));
        assertThat(found.find()).as("a fence of %s with %s", page, words).isTrue();
        return found.group(1);
    }

    /** A loader of the compiled classes. */
    static URLClassLoader compile(Map<String, String> sources, Path folder) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter problems = new StringWriter();
        String path = SmartNic.class.getProtectionDomain().getCodeSource().getLocation().getPath() + ":"
                + System.getProperty("java.class.path");
        boolean compiles = compiler.getTask(problems, null, null,
                List.of("-nowarn", "-proc:none", "-cp", path, "-d", folder.toString()), null,
                sources.entrySet().stream().map(one -> new Source(one.getKey(), one.getValue())).toList()).call();
        assertThat(compiles).as("compiles: %s", problems).isTrue();
        try {
            return new URLClassLoader(new URL[] { folder.toUri().toURL() }, PageSources.class.getClassLoader());
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A source in memory. */
    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String name, String text) {
            super(URI.create("string:///" + name + Kind.SOURCE.extension), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
