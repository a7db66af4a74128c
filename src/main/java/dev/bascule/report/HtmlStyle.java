package dev.bascule.report;

/** The style sheet of the HTML report: light and dark, wide and narrow. */
final class HtmlStyle {
    /** Series colours have a contrast of at least 4.5 to their background in both schemes. */
    static final String CSS = """
            :root { --bg: #ffffff; --fg: #1b1f24; --muted: #57606a; --grid: #d8dee4; --card: #f6f8fa;
              --s0: #0b5cad; --s1: #b34700; --s2: #00704f; --s3: #8a3ffc; --good: #0a6640; --bad: #b42318; }
            @media (prefers-color-scheme: dark) {
              :root { --bg: #12161c; --fg: #e6e9ee; --muted: #a3adba; --grid: #333c47; --card: #1a2029;
                --s0: #6cb2ff; --s1: #ffab66; --s2: #56d3a5; --s3: #c9a0ff; --good: #56d3a5; --bad: #ff8f86; } }
            * { box-sizing: border-box; }
            body { margin: 0; background: var(--bg); color: var(--fg); font: 16px/1.5 system-ui, sans-serif; }
            main { max-width: 940px; margin: 0 auto; padding: 24px 20px 64px; }
            h1 { font-size: 1.6rem; line-height: 1.25; margin: 8px 0 12px; }
            h2 { font-size: 1.25rem; margin: 40px 0 8px; }
            h3 { font-size: 1.05rem; margin: 28px 0 8px; }
            dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 16px; margin: 12px 0; }
            dt { font-weight: 600; } dd { margin: 0; }
            .swatch { display: inline-block; width: 12px; height: 12px; border-radius: 2px; margin-right: 8px; }
            .b0 { background: var(--s0); } .b1 { background: var(--s1); }
            .b2 { background: var(--s2); } .b3 { background: var(--s3); }
            .pill { display: inline-block; font-size: .85rem; font-weight: 600; padding: 2px 12px; border-radius: 99px;
              border: 1px solid currentColor; }
            .pill.bad { background: var(--bad); border-color: var(--bad); color: var(--bg); }
            .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 260px), 1fr)); gap: 14px;
              margin: 18px 0; }
            .tiles > div { background: var(--card); border-radius: 8px; padding: 12px 16px; }
            .tiles h2 { font-size: .95rem; margin: 0 0 6px; }
            .tiles table { width: 100%; } .tiles th { font-weight: 400; white-space: nowrap; }
            .tiles td { font-weight: 600; border-top: 0 !important; padding-right: 0; }
            .tiles p { margin: 6px 0 0; color: var(--muted); font-size: .85rem; }
            .verdict { font-weight: 600; } .good { color: var(--good); } .bad { color: var(--bad); }
            .honesty { border-left: 4px solid var(--s1); background: var(--card); padding: 10px 14px; }
            .honesty strong { text-transform: uppercase; font-size: .8rem; letter-spacing: .05em; margin-right: 6px; }
            .wide { overflow-x: auto; }
            table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .95rem; }
            th, td { padding: 3px 14px 3px 0; text-align: left; vertical-align: top; }
            td:first-child { white-space: nowrap; } .facts td:first-child { white-space: normal; }
            tbody tr:not(.group) td { border-top: 1px solid var(--grid); }
            .number { text-align: right; padding-left: 18px; white-space: nowrap; }
            .unit, .ratio, .source { color: var(--muted); }
            .group th { padding-top: 16px; }
            .facts th { padding-right: 24px; } .facts td { padding-bottom: 4px; }
            code { font: .9em ui-monospace, monospace; background: var(--card); padding: 2px 5px;
              overflow-wrap: anywhere; }
            .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr));
              gap: 20px; }
            figure { margin: 0; padding: 12px 12px 6px; background: var(--card); border-radius: 8px; overflow-x: auto; }
            figcaption { font-weight: 600; margin-bottom: 6px; }
            svg { display: block; width: 100%; max-width: 640px; height: auto; }
            .broad svg { max-width: none; min-width: 640px; }
            details { margin: 10px 0; } summary { cursor: pointer; font-weight: 600; }
            svg text { font: 13px system-ui, sans-serif; fill: var(--fg); }
            svg text.tick { font-size: 12px; fill: var(--muted); }
            .grid { stroke: var(--grid); } .axis { stroke: var(--muted); }
            .mark { stroke: var(--fg); stroke-dasharray: 3 3; }
            .line { fill: none; stroke-width: 2; }
            .d1 { stroke-dasharray: 8 4; } .d2 { stroke-dasharray: 3 3; } .d3 { stroke-dasharray: 10 3 2 3; }
            .s0 { stroke: var(--s0); } .s1 { stroke: var(--s1); } .s2 { stroke: var(--s2); } .s3 { stroke: var(--s3); }
            .f0 { fill: var(--s0); } .f1 { fill: var(--s1); } .f2 { fill: var(--s2); } .f3 { fill: var(--s3); }
            .dot.hollow { fill: var(--card); stroke-width: 2; }
            @media (max-width: 600px) {
              main { padding: 14px 12px 48px; } h1 { font-size: 1.3rem; } figure { padding: 8px 8px 4px; }
              dl { display: block; } dd { margin: 0 0 8px 22px; }
              table { font-size: .85rem; } th, td { padding-right: 8px; } .number { padding-left: 8px; } }
            @media print { figure { break-inside: avoid; } }
            """;

    private HtmlStyle() {}
}
