import { isIP, SocketAddress } from "node:net";

export function parseRange(range: string): { address: string; bits: number; type: "ipv4" | "ipv6" } | undefined {
  const [, given = "", prefix] = /^([^/%]+)(?:\/([0-9]{1,3}))?$/.exec(String(range)) ?? [];
  const address = toCanonicalAddress(given);
  if (address === "") return undefined;
  const type = isIP(address) === 4 ? "ipv4" : "ipv6";
  const skipped = type === "ipv4" && isIP(given) === 6 ? 96 : 0; // ::ffff:10.0.0.0/104 is 10.0.0.0/8
  const most = type === "ipv4" ? 32 : 128;
  const bits = prefix === undefined ? most : Number(prefix) - skipped;
  return bits < 0 || bits > most ? undefined : { address, bits, type };
}

/** One spelling for each address, IPv4-mapped ones as IPv4; "" for anything else. */
export function toCanonicalAddress(text = ""): string {
  const family = isIP(text);
  if (family === 0) return "";
  if (family === 4) return text;
  const { address } = new SocketAddress({ address: text.replace(/%.*$/, ""), family: "ipv6" });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped?.[1] ?? address;
}
