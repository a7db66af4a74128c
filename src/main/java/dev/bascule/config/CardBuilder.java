package dev.bascule.config;

import java.util.Locale;
import java.util.Map;

/** Makes a card's records out of checked values. */
final class CardBuilder {
    private CardBuilder() {}

    static CardConfig build(Map<String, Object> values) {
        return new CardConfig(
                new CardConfig.Region(text(values, "region.device"), count(values, "region.bar"),
                        whole(values, "region.offset"), whole(values, "region.length"),
                        text(values, "region.hostMemory").equals("bar"), count(values, "region.vectors")),
                new CardConfig.Doorbell(count(values, "doorbell.bar"), register(values, "doorbell")),
                cores(values),
                new CardConfig.Window(text(values, "window.path"), whole(values, "window.offset"),
                        whole(values, "window.length"), whole(values, "window.base")),
                new CardConfig.Interrupt(text(values, "interrupt.path"), register(values, "interrupt")));
    }

    static CardConfig.Memory memory(Map<String, Object> values) {
        return CardConfig.Memory.valueOf(text(values, "cores.memory").toUpperCase(Locale.ROOT));
    }

    private static CardConfig.Cores cores(Map<String, Object> values) {
        CardConfig.Memory memory = memory(values);
        boolean cacheable = memory != CardConfig.Memory.UIO && memory != CardConfig.Memory.PCI;
        return new CardConfig.Cores(memory, text(values, "cores.path"), text(values, "cores.argument"),
                count(values, "cores.bar"),
                whole(values, "cores.offset"), whole(values, "cores.length"),
                cacheable && (Boolean) ConfigBuilder.valueOrDefault(values, "cores.cached"));
    }

    private static CardConfig.Register register(Map<String, Object> values, String section) {
        String width = text(values, section + ".width");
        return new CardConfig.Register(whole(values, section + ".offset"),
                width.equals("none") ? 0 : Integer.parseInt(width), whole(values, section + ".value"),
                whole(values, section + ".stride"), whole(values, section + ".step"));
    }

    private static String text(Map<String, Object> values, String path) {
        return ConfigBuilder.text(values, path);
    }

    private static long whole(Map<String, Object> values, String path) {
        return ConfigBuilder.whole(values, path);
    }

    private static int count(Map<String, Object> values, String path) {
        return ConfigBuilder.count(values, path);
    }
}
