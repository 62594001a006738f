const browsers = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Headless)?(?:Chrome|CriOS)\//],
  ["Safari", /\bSafari\//],
  ["curl", /^curl\//],
] as const;

const systems = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac OS X\b/],
  ["Linux", /\bLinux\b/],
] as const;

const longest = 60;

/** A User-Agent as a user would say it: `Firefox on Linux`. The start of one that is not known. */
export function describeClient(userAgent: string): string {
  const nameOf = (table: typeof browsers | typeof systems) => table.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const [browser, system] = [nameOf(browsers), nameOf(systems)];
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  const plain = userAgent.trim();
  if (plain === "") return "An unknown client";
  return plain.length > longest ? `${plain.slice(0, longest)}…` : plain;
}
