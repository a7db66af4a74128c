package dev.bascule.study.fabric.graph;

/** Content of the bytes that a device takes or gives, as far as its kind tells. */
enum Content {
    ANY("bytes of any kind"), SEALED("sealed bytes"), PLAIN("plain bytes"), LABEL("a class and its sum"), POSITION(
            "a place in a store");

    private final String words;

    Content(String words) {
        this.words = words;
    }

    String words() {
        return words;
    }
}
