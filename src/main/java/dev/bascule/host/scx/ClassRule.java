package dev.bascule.host.scx;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Rule for the threads of a class that the policy is told. Written {@code NAME=PATTERN} or
 * {@code NAME:NUMBER=PATTERN}; a pattern is a thread's name (up to 15 characters, {@code ?} for any one, {@code *} at
 * its end for any rest), the path of a cgroup, which includes those below it, or {@code nice:FROM} or
 * {@code nice:FROM..TO}.
 *
 * @param name of the class, for people
 * @param number of the class, 0 to 255, for the policy
 * @param kind what the pattern is about
 * @param text a thread's name under the mask, 16 bytes
 * @param mask which of its bytes count, 16 bytes
 * @param group number of the cgroup
 * @param niceFrom priorities from
 * @param niceTo to
 */
@SuppressWarnings("ArrayRecordComponent") // written once, read by whoever configures the kernel
record ClassRule(String name, int number, Kind kind, byte[] text, byte[] mask, long group, int niceFrom, int niceTo) {
    /** Subject of a pattern, with its number for the kernel. */
    enum Kind {
        NAME(1), GROUP(2), NICE(3);

        final int code;

        Kind(int code) {
            this.code = code;
        }
    }

    static final int MOST = 16;
    private static final int NAME_BYTES = 16;
    private static final Pattern FORM = Pattern.compile("([^=:]+)(?::(\\d+))?=(.+)");
    private static final Pattern NICE = Pattern.compile("nice:(-?\\d+)(?:\\.\\.(-?\\d+))?");

    /**
     * The rules, in the order in which they are tried. Classes without a number are numbered from 0 on in the order in which
     * they are first named.
     *
     * @throws IllegalArgumentException if one is malformed, or there are too many
     */
    static List<ClassRule> parse(List<String> texts) {
        if (texts.size() > MOST) {
            throw new IllegalArgumentException(texts.size() + " classes, at most " + MOST + " can be told apart");
        }
        List<String> names = new ArrayList<>();
        List<ClassRule> rules = new ArrayList<>();
        for (String text : texts) {
            Matcher form = FORM.matcher(text);
            if (!form.matches()) {
                throw new IllegalArgumentException("class '" + text + "': write NAME=PATTERN, as get=get-*,"
                        + " batch=/sys/fs/cgroup/batch or low=nice:10..19");
            }
            if (!names.contains(form.group(1))) {
                names.add(form.group(1));
            }
            int number = form.group(2) == null ? names.indexOf(form.group(1)) : Integer.parseInt(form.group(2));
            if (number > 255) {
                throw new IllegalArgumentException("class '" + text + "': numbers are 0 to 255");
            }
            rules.add(of(form.group(1), number, form.group(3)));
        }
        return rules;
    }

    private static ClassRule of(String name, int number, String pattern) {
        Matcher nice = NICE.matcher(pattern);
        if (nice.matches()) {
            int from = Integer.parseInt(nice.group(1));
            int to = nice.group(2) == null ? from : Integer.parseInt(nice.group(2));
            if (from < -20 || to > 19 || from > to) {
                throw new IllegalArgumentException("class " + name + ": priorities are -20 to 19, '" + pattern + "'");
            }
            return new ClassRule(name, number, Kind.NICE, new byte[NAME_BYTES], new byte[NAME_BYTES], 0, from, to);
        }
        if (pattern.startsWith("/")) {
            return new ClassRule(name, number, Kind.GROUP, new byte[NAME_BYTES], new byte[NAME_BYTES],
                    groupNumber(Path.of(pattern)), 0, 0);
        }
        return ofName(name, number, pattern);
    }

    private static ClassRule ofName(String name, int number, String pattern) {
        boolean isOpen = pattern.endsWith("*");
        byte[] given = (isOpen ? pattern.substring(0, pattern.length() - 1) : pattern).getBytes(StandardCharsets.UTF_8);
        if (given.length >= NAME_BYTES || new String(given, StandardCharsets.UTF_8).contains("*")) {
            throw new IllegalArgumentException(
                    "class " + name + ": '" + pattern + "' is no name of a thread: these have"
                            + " up to 15 bytes, and * stands at the end only");
        }
        byte[] text = new byte[NAME_BYTES];
        byte[] mask = new byte[NAME_BYTES];
        for (int i = 0; i < (isOpen ? given.length : NAME_BYTES); i++) {
            byte wanted = i < given.length ? given[i] : 0;
            mask[i] = wanted == '?' ? 0 : (byte) -1;
            text[i] = wanted == '?' ? 0 : wanted;
        }
        if (!isOpen) { // what follows the zero is nobody's business
            for (int i = given.length + 1; i < NAME_BYTES; i++) {
                mask[i] = 0;
            }
        }
        return new ClassRule(name, number, Kind.NAME, text, mask, 0, 0, 0);
    }

    /** A cgroup's number is that of its folder. */
    static long groupNumber(Path group) {
        try {
            if (!Files.exists(group.resolve("cgroup.procs"))) {
                throw new IllegalArgumentException(group + " is no cgroup (version 2): it has no file cgroup.procs;"
                        + " make it with: mkdir " + group);
            }
            return ((Number) Files.getAttribute(group, "unix:ino")).longValue();
        } catch (IOException e) {
            throw new UncheckedIOException("read cgroup " + group + ": " + e.getMessage(), e);
        }
    }

    /** Eight bytes of the name under the mask, as the kernel loads them. */
    long textWord(int word) {
        return word(text, word);
    }

    long maskWord(int word) {
        return word(mask, word);
    }

    private static long word(byte[] bytes, int word) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).getLong(word * Long.BYTES);
    }
}
