package dev.bascule.model.enso;

/** Why a frame that was steered to a pipe did not get there. Hardware counts some of these, over all pipes together. */
enum EnsoDropReason {
    NO_ROOM("no room in its buffer"), NO_BUFFER("no buffer bound"), NO_RING("no notification ring bound"), STOPPED(
            "receive engine stopped"), REFUSED("host memory refused");

    final String text;

    EnsoDropReason(String text) {
        this.text = text;
    }
}
