package dev.bascule.host;

/** What the ledger outside the host counts. */
enum ChaosCount {
    OFFERED("requests offered"), ANSWERED("answered"), REFUSED("refused for want of room"), CUT_OFF(
            "open when a host crashed"), LOST("lost"), DUPLICATED("duplicated"), OCCUPANCY(
                    "occupancy violations"), WAITED("waits of jobs"), GAVE_WAY("yields"), MOVED("changes of CPUs");

    final String text;

    ChaosCount(String text) {
        this.text = text;
    }
}
