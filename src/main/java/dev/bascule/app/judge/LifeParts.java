package dev.bascule.app.judge;

import dev.bascule.device.DeviceException;
import dev.bascule.ffi.Patience;
import dev.bascule.nic.Nic;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;

/** Stops, closes and kills while frames are under way: what comes after is as if nothing had been. */
final class LifeParts {
    private static final int AFTER = 200;
    private static final int MOST_POLLS = 64;
    private static final int KILLS = 2;

    static final List<Part> ALL = List.of(
            Part.ofAll("restart", "ports stop and start again under load", LifeParts::restart),
            Part.ofAll("reopen", "the card is closed under flood and opened again", LifeParts::reopen),
            new Part("killed-driver",
                    "a process that drives the card is killed under load, and the next one finds it usable",
                    bench -> Part.unless(bench.plan().driver() != null, "no process to kill"), LifeParts::killedDriver),
            new Part("killed-server", "the card's server is killed under load: the driver says so, and a new one works",
                    LifeParts::noServer, LifeParts::killedServer));

    private LifeParts() {}

    /** Sends for a moment as much as the rings take, and leaves it under way. */
    private static void flood(Traffic traffic, SplittableRandom random) {
        int polls = random.nextInt(MOST_POLLS);
        for (int i = 0; i <= polls; i++) {
            traffic.send(Bench.RING);
            if (random.nextBoolean()) {
                traffic.poll();
            }
        }
    }

    private static String restart(Bench bench) {
        int rounds = bench.plan().rounds();
        SplittableRandom random = new SplittableRandom(bench.plan().seed());
        int most = bench.plan().queues();
        int done = 0;
        for (int queues = 1; queues <= most; queues = queues == most ? most + 1 : most) {
            try (Link link = bench.open(bench.options(queues))) {
                Traffic traffic = bench.traffic(link, bench.ordinary());
                int end = queues == most ? rounds : rounds / 2;
                for (; done < end; done++) {
                    restartOnce(bench, link, traffic, random, done + 1);
                }
            }
        }
        return rounds + " stops and starts under load, " + (most == 1 ? "one queue" : "with 1 and " + most + " queues");
    }

    private static void restartOnce(Bench bench, Link link, Traffic traffic, SplittableRandom random, int round) {
        try {
            flood(traffic, random);
            Nic stopped = random.nextBoolean() ? link.near() : link.far();
            bench.history().note("stop " + stopped.name());
            stopped.stop();
            bench.history().note("start " + stopped.name());
            stopped.start();
            bench.plan().links().accept(List.of(stopped));
            traffic.drain(20_000_000);
            traffic.forgive();
            traffic.exchange(AFTER);
        } catch (Fault fault) {
            throw new Fault("restart " + round + ": " + fault.getMessage(), fault.bytes());
        } catch (DeviceException stop) {
            throw new Fault("restart " + round + ": " + stop.getMessage());
        }
    }

    private static String reopen(Bench bench) {
        int rounds = Math.max(2, bench.plan().rounds() / 5);
        SplittableRandom random = new SplittableRandom(bench.plan().seed());
        for (int round = 1; round <= rounds; round++) {
            try (Link link = bench.open(bench.options(round % 2 == 0 ? 1 : bench.plan().queues()))) {
                Traffic traffic = bench.traffic(link, bench.ordinary());
                traffic.exchange(AFTER);
                flood(traffic, random);
                bench.history().note("close");
            } catch (Fault fault) {
                throw new Fault("opening " + round + ": " + fault.getMessage(), fault.bytes());
            } catch (DeviceException stop) {
                throw new Fault("opening " + round + ": " + stop.getMessage());
            }
        }
        usable(bench);
        return "opened " + (rounds + 1) + " times, closed under flood";
    }

    private static void usable(Bench bench) {
        try (Link link = bench.open(bench.options(bench.plan().queues()))) {
            bench.traffic(link, bench.ordinary()).exchange(5 * AFTER);
        }
    }

    private static String killedDriver(Bench bench) {
        SplittableRandom random = new SplittableRandom(bench.plan().seed());
        for (int kill = 0; kill < KILLS; kill++) {
            bench.checkStop(null);
            kill(bench, random);
            usable(bench);
        }
        return KILLS + " processes killed with frames under way; the card was usable at once";
    }

    @SuppressWarnings("NullAway") // the part is asked only when there is one
    private static void kill(Bench bench, SplittableRandom random) {
        Process driver;
        try {
            driver = bench.plan().driver().apply(bench.farPort()).redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException("start a process that drives the card", e);
        }
        try (BufferedReader says = driver.inputReader()) {
            String line = says.readLine();
            if (!Victim.UNDER_WAY.equals(line)) {
                throw new Fault("the process that drives the card ended before frames were under way");
            }
            LockSupport.parkNanos(random.nextLong(20_000_000));
        } catch (IOException e) {
            throw new UncheckedIOException("listen to the process that drives the card", e);
        } finally {
            driver.destroyForcibly().onExit().join();
        }
        bench.history().note("killed process " + driver.pid() + ", which drove the card");
    }

    private static Optional<String> noServer(Bench bench) {
        return Part.unless(bench.plan().server() != null,
                "no server that may be killed; name the command that starts it: --restart-command");
    }

    @SuppressWarnings("NullAway") // the part is asked only when there is one
    private static String killedServer(Bench bench) {
        KillableServer server = bench.plan().server();
        for (int kill = 0; kill < KILLS; kill++) {
            try (Link link = bench.open(bench.options(bench.plan().queues()))) {
                Traffic traffic = bench.traffic(link, bench.ordinary());
                traffic.exchange(AFTER);
                traffic.send(Bench.RING);
                bench.history().note("kill the server");
                server.kill();
                noticed(bench, link, traffic);
            } finally {
                server.kill();
                server.start();
            }
            usable(bench);
        }
        return "killed " + KILLS + " times; the driver said that the card is gone, and the next server's card works";
    }

    private static void noticed(Bench bench, Link link, Traffic traffic) {
        Patience patience = new Patience(bench.plan().patienceNanos());
        try {
            while (!patience.isOver()) {
                traffic.poll();
                link.card().check();
            }
        } catch (dev.bascule.device.DeviceRemovedException gone) {
            return;
        }
        throw new Fault("the server is dead, and the driver does not say so within " + bench.patience());
    }
}
