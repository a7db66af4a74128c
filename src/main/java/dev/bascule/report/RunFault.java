package dev.bascule.report;

import dev.bascule.json.Json;

/**
 * Why a run does not show what it was asked to show, though every request was answered.
 *
 * @param kind what kind of reason, for scripts
 * @param text one sentence for people, with the figure and its limit
 */
public record RunFault(Kind kind, String text) {
    /** Kinds. */
    public enum Kind {
        /** The host's own policy decided too often. */
        FALLBACK("fallback"),
        /** An agent failed, or was replaced, and nobody had asked for it. */
        AGENT("agent"),
        /** The policy decided what it could have known to be impossible. */
        POLICY("policy"),
        /** The policy passed tasks over until the host ran them. */
        STARVATION("starvation"),
        /** An upgrade that the run was to show failed, or did not end. */
        UPGRADE("upgrade");

        private final String word;

        Kind(String word) {
            this.word = word;
        }
    }

    Json.Obj json() {
        return Json.object().put("kind", kind.word).put("text", text);
    }
}
