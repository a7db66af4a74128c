package dev.bascule.cli;

import dev.bascule.run.Failure;
import dev.bascule.run.Misuse;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes out a project to begin with. */
@Command(name = "new", mixinStandardHelpOptions = true, sortOptions = false, description = {
        "Writes a project to begin with into a new or empty folder. An agent: a scheduling policy of your own, its unit "
                + "test in virtual time and over a simulated SmartNIC, a program that runs it live, and a script for CI.",
        "Exit status: 0 written, 1 not possible, 2 wrong usage." }, footer = { "", "Examples:",
                "  bascule new agent my-policy",
                "  bascule new agent /tmp/lifo --name lifo --package org.example.lifo" })
final class NewCommand implements Callable<Integer> {
    private static final String TEMPLATE = "agent-template/";
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");
    private static final Pattern PACKAGE = Pattern.compile("[a-z_][a-z0-9_]*(\\.[a-z_][a-z0-9_]*)*");
    private static final Set<String> KEYWORDS = Set.of("abstract", "assert", "boolean", "break", "byte", "case",
            "catch",
            "char", "class", "const", "continue", "default", "do", "double", "else", "enum", "extends", "false",
            "final",
            "finally", "float", "for", "goto", "if", "implements", "import", "instanceof", "int", "interface", "long",
            "native", "new", "null", "package", "private", "protected", "public", "return", "short", "static",
            "strictfp", "super", "switch", "synchronized", "this", "throw", "throws", "transient", "true", "try",
            "void", "volatile", "while", "_");
    private static final String PACKAGED = "0\\.\\d.*|[1-9].*";

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "KIND", description = "agent")
    private String kind = "";

    @Parameters(index = "1", paramLabel = "DIR", description = "folder to make; one that exists must be empty")
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Option(names = "--name", paramLabel = "NAME", description = "the project's: small letters, digits and hyphens; default the folder's")
    private @Nullable String name;

    @Option(names = "--package", paramLabel = "PACKAGE", defaultValue = "org.example.agent", description = "of its classes; default ${DEFAULT-VALUE}")
    private String packageName = "";

    @Override
    public Integer call() throws IOException {
        if (!kind.equals("agent")) {
            throw new Misuse("no kind of project is called '" + kind + "'; there is agent");
        }
        String project = name();
        if (!PACKAGE.matcher(packageName).matches()
                || Arrays.stream(packageName.split("\\.")).anyMatch(KEYWORDS::contains)) {
            throw new Misuse("--package " + packageName + ": not a name of a Java package, such as org.example.agent");
        }
        ensureEmpty();
        String policy = className(project);
        String java = "java/" + packageName.replace('.', '/') + "/";
        Map<String, String> files = new LinkedHashMap<>();
        files.put("pom.xml", "pom.xml");
        files.put("README.md", "README.md");
        files.put("gitignore", ".gitignore");
        files.put("ci", "ci");
        files.put("Policy.java", "src/main/" + java + policy + ".java");
        files.put("Live.java", "src/main/" + java + "Live.java");
        files.put("PolicyTest.java", "src/test/" + java + policy + "Test.java");
        for (Map.Entry<String, String> file : files.entrySet()) {
            write(folder.resolve(file.getValue()), read(file.getKey()).replace("@PACKAGE@", packageName)
                    .replace("@NAME@", project).replace("@POLICY@", policy).replace("@VERSION@", version()));
        }
        Files.setPosixFilePermissions(folder.resolve("ci"), PosixFilePermissions.fromString("rwxr-xr-x"));
        tell(policy, files.get("Policy.java"));
        return 0;
    }

    private void tell(String policy, @Nullable String file) {
        PrintWriter out = spec.commandLine().getOut();
        out.println("Wrote " + folder + ": the policy is " + policy + ", in " + file);
        out.println("Next, with Bascule in the local repository (mvn install in its clone):");
        out.println("  cd " + folder);
        out.println("  mvn test     # its unit tests");
        out.println("  ./ci         # builds, tests, and runs it live");
        out.flush();
    }

    private String name() {
        String project = name;
        if (project == null) {
            Path last = folder.toAbsolutePath().normalize().getFileName();
            project = last == null ? "" : last.toString();
        }
        if (!NAME.matcher(project).matches()) {
            throw new Misuse("the project cannot be called '" + project
                    + "': small letters, digits and hyphens, such as my-policy; name it with --name");
        }
        return project;
    }

    /** {@code my-policy} becomes {@code MyPolicy}, and {@code lifo} becomes {@code LifoPolicy}. */
    private static String className(String project) {
        StringBuilder text = new StringBuilder();
        for (String part : project.split("-")) {
            text.append(Character.toUpperCase(part.charAt(0))).append(part.substring(1));
        }
        return text.toString().endsWith("Policy") ? text.toString() : text.append("Policy").toString();
    }

    private void ensureEmpty() throws IOException {
        try {
            Files.createDirectories(folder);
        } catch (FileAlreadyExistsException e) {
            throw new Failure(folder + " is a file; name a new or an empty folder", e);
        }
        try (var entries = Files.list(folder)) {
            if (entries.findAny().isPresent()) {
                throw new Failure(folder + " is not empty, and nothing in it is overwritten; name a new folder");
            }
        }
    }

    private static String version() {
        String version = Version.version();
        return version.matches(PACKAGED) ? version : "0.1.0-SNAPSHOT";
    }

    private static String read(String file) throws IOException {
        try (InputStream in = NewCommand.class.getResourceAsStream(TEMPLATE + file)) {
            if (in == null) {
                throw new IllegalStateException("the template's " + file + " is not in the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void write(Path file, String content) throws IOException {
        Path parent = file.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        Files.writeString(file, content, StandardOpenOption.CREATE_NEW);
    }
}
