package dev.bascule.report;

import dev.bascule.json.Json;
import java.io.IOException;
import java.io.Writer;

/** Writes events one by one in the format that Perfetto and Chrome's tracing page read. Source: Trace Event Format, JSON
 * object form. */
public final class TraceEvents {
    private final Writer out;
    private boolean first = true;

    /** Begins the document; the writer stays open. */
    public TraceEvents(Writer out, Json.Obj about) throws IOException {
        this.out = out;
        String empty = Json.object().put("displayTimeUnit", "ns").put("otherData", about)
                .put("traceEvents", Json.array()).toString();
        out.write(empty, 0, empty.length() - "]}".length());
    }

    /** Ends the document. */
    public void end() throws IOException {
        out.write("\n]}\n");
    }

    private void write(Json.Obj event) throws IOException {
        out.write(first ? "\n" : ",\n");
        first = false;
        out.write(event.toString());
    }

    private static Json.Obj event(String phase, int process, int track) {
        return Json.object().put("ph", phase).put("pid", process).put("tid", track);
    }

    /** Name of a process. */
    public void processName(int process, String name) throws IOException {
        write(event("M", process, 0).put("name", "process_name").put("args", Json.object().put("name", name)));
    }

    /** Name of a track. */
    public void trackName(int process, int track, String name) throws IOException {
        write(event("M", process, track).put("name", "thread_name").put("args", Json.object().put("name", name)));
    }

    /** Times are ns here, us in the file. */
    public void slice(int process, int track, String name, long from, long to) throws IOException {
        write(event("X", process, track).put("name", name).put("ts", from / 1e3).put("dur",
                Math.max(0, to - from) / 1e3));
    }

    /** An instant of a track. */
    public void instant(int process, int track, String name, long at) throws IOException {
        write(event("i", process, track).put("s", "t").put("name", name).put("ts", at / 1e3));
    }

    /** Values of counters at a time. */
    public void counters(int process, String name, long at, Json.Obj values) throws IOException {
        write(event("C", process, 0).put("name", name).put("ts", at / 1e3).put("args", values));
    }

    /** An arrow from within a slice to the slice that begins then. */
    void flow(String name, long id, int process, int track, long at, int toProcess, int toTrack, long toAt)
            throws IOException {
        write(event("s", process, track).put("cat", name).put("id", id).put("name", name).put("ts", at / 1e3));
        write(event("f", toProcess, toTrack).put("cat", name).put("id", id).put("name", name).put("bp", "e")
                .put("ts", toAt / 1e3));
    }

    /** A slice that may overlap others of its track in any way. */
    void journey(int process, int track, String name, long id, long from, long to) throws IOException {
        write(event("b", process, track).put("cat", "decision").put("id", id).put("name", name).put("ts", from / 1e3));
        write(event("e", process, track).put("cat", "decision").put("id", id).put("name", name)
                .put("ts", Math.max(from, to) / 1e3));
    }
}
