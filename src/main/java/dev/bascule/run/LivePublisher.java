package dev.bascule.run;

import dev.bascule.host.Counter;
import dev.bascule.host.CounterPage;
import dev.bascule.host.Distribution;
import dev.bascule.host.LiveHost;
import dev.bascule.host.LiveWaits;
import dev.bascule.host.LiveQueues;
import dev.bascule.host.TimeHistogram;
import dev.bascule.web.Incidents;
import java.util.List;

/**
 * Publishes what a host of the main job has done so far in its run directory, for {@code bascule top} and the live page.
 * Ten times a second, so it costs the host's lock nothing to speak of. Any thread.
 */
public final class LivePublisher {
    private final CounterPage page;
    private final Incidents incidents;
    private final LiveHost host;
    private final PointRecorder recorder;
    private final Sum latency = new Sum(Distribution.REQUEST_LATENCY);
    private final Sum window = new Sum(Distribution.DECISION_WINDOW);
    private int saidIncidents;
    private int saidCpuEvents;

    /** A distribution over all load points, whose recorder begins anew with each. */
    static final class Sum implements TimeHistogram.BucketSink {
        private final Distribution what;
        private long[] before = new long[Distribution.BOUNDS + 1];
        private long nanosBefore;
        private long[] counts = before.clone();
        private long nanos;
        private int bound;

        Sum(Distribution what) {
            this.what = what;
        }

        void add(TimeHistogram point) {
            counts = before.clone();
            nanos = nanosBefore;
            bound = 0;
            point.buckets(this);
        }

        /** The sum is that of the buckets' middles: the times to three digits. */
        @Override
        public void bucket(long low, long high, long number) {
            long middle = (low + high) >>> 1;
            while (bound < Distribution.BOUNDS && middle > Distribution.bound(bound)) {
                bound++;
            }
            counts[bound] += number;
            nanos += number * middle;
        }

        void keep() {
            before = counts;
            nanosBefore = nanos;
        }

        void publish(CounterPage page) {
            page.set(what, nanos, counts);
        }

        long count() {
            long sum = 0;
            for (long count : counts) {
                sum += count;
            }
            return sum;
        }
    }

    LivePublisher(CounterPage page, Incidents incidents, LiveHost host, PointRecorder recorder) {
        this.page = page;
        this.incidents = incidents;
        this.host = host;
        this.recorder = recorder;
    }

    synchronized void publish() {
        page.set(host.counters());
        LiveQueues queues = host.queues();
        page.set(Counter.TASKS_RUNNABLE, queues.runnable());
        LiveWaits waits = host.waits();
        page.set(Counter.LONGEST_WAIT_NANOS, waits.longestNanos());
        page.set(Counter.TASKS_STARVED, waits.starved());
        page.set(Counter.REQUESTS_WAITING, queues.waiting());
        page.set(Counter.AGENT_READY, host.isAgentReady() ? 1 : 0);
        latency.add(recorder.latency());
        window.add(recorder.window());
        latency.publish(page);
        window.publish(page);
        page.set(Counter.REQUESTS_SERVED, latency.count());
        page.set(Counter.CPUS_AVAILABLE, host.cpus().available());
        saidIncidents = say(host.incidents(), saidIncidents);
        saidCpuEvents = say(host.cpus().events(), saidCpuEvents);
    }

    private int say(List<String> all, int from) {
        all.subList(from, all.size()).forEach(one -> incidents.add(System.currentTimeMillis(), one));
        return all.size();
    }

    /** The recorder begins anew; only while no request is under way. */
    synchronized void nextPoint() {
        latency.add(recorder.latency());
        window.add(recorder.window());
        latency.keep();
        window.keep();
        recorder.reset();
    }
}
