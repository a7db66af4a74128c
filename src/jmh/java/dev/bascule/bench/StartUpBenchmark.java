package dev.bascule.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Start-up of the command line, with the JDK's default archive and with an AOT cache made from one training run.
 * What is timed is the way to the first system call made through FFM: {@code --version} asks the kernel for its page
 * size before it prints its first byte, and that byte is waited for. Processor time is that of the whole run; it is
 * free of the neighbours' noise.
 */
final class StartUpBenchmark implements Benchmark {
    private static final String WALL = "start-up";
    private static final String CPU = "start-up/cpu";
    private static final double LIMIT = 0.65;
    private static final List<String> COMMAND = List.of("--version");

    @Override
    public List<String> rows() {
        return List.of(WALL, CPU);
    }

    @Override
    public List<Result> measure(Session session, Set<String> wanted) throws IOException, InterruptedException {
        Path jar = session.home().resolve("target/bascule-study.jar");
        if (!Files.exists(jar)) {
            return List.of(Result.notMeasured(WALL, "ms", LIMIT, "no target/bascule-study.jar: run scripts/run once"));
        }
        Path cache = session.work().resolve("bascule.aot");
        Forks.run(command(jar, List.of("-XX:AOTCacheOutput=" + cache)), session, 60);
        List<Sample> aot = new ArrayList<>();
        List<Sample> plain = new ArrayList<>();
        int launches = 5 + 4 * session.processes();
        for (int i = 0; i < launches; i++) {
            plain.add(launch(command(jar, List.of())));
            aot.add(launch(command(jar, List.of("-XX:AOTCache=" + cache))));
        }
        return List.of(row(WALL, aot.stream().map(Sample::wallMillis).toList(),
                plain.stream().map(Sample::wallMillis).toList()),
                row(CPU, aot.stream().map(Sample::cpuMillis).toList(), plain.stream().map(Sample::cpuMillis).toList()));
    }

    private static List<String> command(Path jar, List<String> options) {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:+UseSerialGC"));
        command.addAll(options);
        command.addAll(List.of("-jar", jar.toString()));
        command.addAll(COMMAND);
        return command;
    }

    private static Result row(String name, List<Double> aot, List<Double> plain) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < aot.size(); i++) {
            ratios.add(aot.get(i) / plain.get(i));
        }
        double ratio = Stats.median(ratios);
        return new Result(name, "ms", "", Stats.median(aot), Stats.median(plain), "default", ratio, ratio, LIMIT, false,
                aot.size(), aot.size(), "AOT cache / default archive; bascule " + String.join(" ", COMMAND)
                        + (name.equals(CPU) ? ", whole run" : ", fork to the first byte after a system call"));
    }

    private static Sample launch(List<String> command) throws IOException, InterruptedException {
        long cpu = childCpuTicks();
        long from = System.nanoTime();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        int first = process.getInputStream().read();
        double wall = (System.nanoTime() - from) / 1e6;
        process.getInputStream().readAllBytes();
        int status = first < 0 ? -1 : process.waitFor();
        if (status != 0) {
            throw new Forks.ForkFailedException("status " + status + " of " + String.join(" ", command));
        }
        return new Sample(wall, (childCpuTicks() - cpu) * 10.0);
    }

    /** User and system time of children waited for, in ticks of 10 ms: fields 16 and 17 of proc(5) stat. */
    private static long childCpuTicks() throws IOException {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[13]) + Long.parseLong(fields[14]);
    }

    private record Sample(double wallMillis, double cpuMillis) {}
}
