import type { Setting } from "./machine.ts";
import { type PeerInfo, peers } from "./peers.ts";
import type { Measure, Summary } from "./results.ts";
import type { Scenario } from "./scenarios.ts";

const columns = 2;
const panelWidth = 440;
const labelWidth = 150;
const barWidth = 210;
const barHeight = 13;
const gap = 5;
const margin = 20;
const headHeight = 64;
const footHeight = 74;

export interface ChartOptions {
  readonly measure: Measure;
  readonly together: boolean;
}

/** Bars for each scenario, as ratios to bare node:http. Readable on light and dark pages. */
export function toChart(
  summaries: readonly Summary[],
  scenarios: readonly Scenario[],
  setting: Setting,
  { measure, together }: ChartOptions,
): string {
  const title = measure === "rate" ? "Requests per second" : "Requests per second of processor time";
  const panels = scenarios.flatMap((scenario) => {
    const own = summaries
      .filter(({ scenario: name, ratio }) => name === scenario.name && ratio !== undefined)
      .toSorted((a, b) => (b.ratio?.median ?? 0) - (a.ratio?.median ?? 0));
    return own.length === 0 ? [] : [{ scenario, own }];
  });
  const bars = Math.max(0, ...panels.map(({ own }) => own.length));
  const panelHeight = 40 + bars * (barHeight + gap);
  const rows = Math.ceil(panels.length / columns);
  const width = 2 * margin + columns * panelWidth;
  const height = headHeight + rows * panelHeight + footHeight;
  const drawn = panels.map(({ scenario, own }, index) => {
    const x = margin + (index % columns) * panelWidth;
    const y = headHeight + Math.floor(index / columns) * panelHeight;
    return `<g transform="translate(${x} ${y})">${drawPanel(scenario, own)}</g>`;
  });
  const used = peers.filter(({ name }) => summaries.some(({ peer }) => peer === name));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${title} of Tenon and its peers, as ratios to bare node:http">
<style>
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 18px; font-weight: 600 }
  .scenario { font-size: 13px; font-weight: 600 }
  .quiet { fill: #59636e; font-size: 11px }
  .bar { fill: #afb8c1 }
  .tenon { fill: #0969da }
  .spread, .one { stroke: #59636e; stroke-width: 1 }
  .one { stroke-dasharray: 2 3 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .quiet { fill: #9198a1 }
    .bar { fill: #59636e }
    .tenon { fill: #4493f8 }
    .spread, .one { stroke: #9198a1 }
  }
</style>
<text class="title" x="${margin}" y="28">${title}, as a ratio to bare node:http</text>
<text class="quiet" x="${margin}" y="46">Longer is faster. The thin line is the spread over the rounds. (h) is measured by Fastify with the bare driver.</text>
${drawn.join("\n")}
${drawFoot(setting, used, together, height - footHeight + 24)}
</svg>
`;
}

function drawPanel({ letter, title }: Scenario, own: readonly Summary[]): string {
  const most = Math.max(1, ...own.map(({ ratio }) => ratio?.high ?? 0));
  const scale = barWidth / most;
  const lines = own.flatMap(({ peer, ratio }, index) => {
    if (ratio === undefined) return [];
    const y = 28 + index * (barHeight + gap);
    const middle = y + barHeight / 2;
    const place = (value: number) => (labelWidth + value * scale).toFixed(1);
    return [
      `<text x="${labelWidth - 8}" y="${y + barHeight - 3}" text-anchor="end">${escapeText(labelOf(peer))}</text>`,
      `<rect class="bar${peer === "tenon" ? " tenon" : ""}" x="${labelWidth}" y="${y}" width="${(ratio.median * scale).toFixed(1)}" height="${barHeight}" rx="2"/>`,
      `<path class="spread" d="M${place(ratio.low)} ${middle}H${place(ratio.high)}"/>`,
      `<text x="${(labelWidth + most * scale + 8).toFixed(1)}" y="${y + barHeight - 3}">${ratio.median.toFixed(2)}</text>`,
    ];
  });
  const one = (labelWidth + scale).toFixed(1);
  const bottom = 28 + own.length * (barHeight + gap);
  return `<text class="scenario" x="0" y="16">${letter}) ${escapeText(title)}</text><path class="one" d="M${one} 24V${bottom}"/>${lines.join("")}`;
}

function drawFoot(
  { date, machine, node, load, versions, pinned }: Setting,
  used: readonly PeerInfo[],
  together: boolean,
  y: number,
): string {
  const named = used.filter(({ package: name }) => name !== "");
  const list = [...new Set(named.map(({ name, package: from }) => `${from} ${versions[name]}`))].join(", ");
  const servers = together ? "all servers at the same time" : "servers in turn";
  const cores = pinned ? "servers and load on a core each" : "servers and load on the same cores";
  const runtimes = `Node ${node.slice(1)}${used.some(({ runtime }) => runtime === "bun") ? `, Bun ${versions.bun}` : ""}`;
  const lines = [`${date}. ${runtimes}, ${load}; ${servers}, ${cores}.`, machine, list];
  return lines
    .map((text, index) => `<text class="quiet" x="${margin}" y="${y + index * 16}">${escapeText(text)}</text>`)
    .join("\n");
}

function labelOf(peer: string): string {
  return peers.find(({ name }) => name === peer)?.label ?? peer;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
