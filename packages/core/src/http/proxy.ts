import { BlockList, isIP, SocketAddress } from "node:net";
import type { Problem } from "../errors.ts";
import { isPlainHost } from "./inspect.ts";

export interface Peer {
  readonly address: string;
  readonly protocol: string;
  readonly host: string;
}

/** Decides where a request came from. Proxy headers count only from trusted peers. */
export class ProxyTrust {
  /** Apart, because node:net treats IPv4 addresses as part of `::/8`. */
  readonly #trusted = { ipv4: new BlockList(), ipv6: new BlockList() };
  readonly #any: boolean;

  /** The ranges have passed `checkProxies`. */
  constructor(proxies: readonly string[]) {
    this.#any = proxies.length > 0;
    for (const { address, bits, type } of proxies.map(parseRange).filter((range) => range !== undefined)) {
      this.#trusted[type].addSubnet(address, bits, type);
    }
  }

  /** Walks `X-Forwarded-For` from the right and stops at the first address that is not one of our proxies. */
  resolve(peer: Peer, header: (name: string) => string | undefined): Peer {
    const address = toCanonicalAddress(peer.address);
    if (!this.#any || !this.#isTrusted(address)) return { ...peer, address };
    return {
      address: this.#clientOf(address, header("x-forwarded-for") ?? ""),
      protocol: oneOf(["http", "https"], lastOf(header("x-forwarded-proto"))) ?? peer.protocol,
      host: plainHost(lastOf(header("x-forwarded-host"))) ?? peer.host,
    };
  }

  #clientOf(peer: string, forwardedFor: string): string {
    let client = peer;
    let rest = forwardedFor;
    let comma: number;
    // entry by entry: splitting a header of nothing but commas costs more than reading it
    do {
      comma = rest.lastIndexOf(",");
      const address = toCanonicalAddress(rest.slice(comma + 1).trim());
      if (address === "") break; // unreadable: entries to the left of it cannot be trusted either
      client = address;
      rest = rest.slice(0, comma);
    } while (comma >= 0 && this.#isTrusted(client));
    return client;
  }

  /** `address` is canonical: mapped ones have become IPv4. */
  #isTrusted(address: string): boolean {
    const family = isIP(address);
    if (family === 0) return false;
    return family === 4 ? this.#trusted.ipv4.check(address, "ipv4") : this.#trusted.ipv6.check(address, "ipv6");
  }
}

export function checkProxies(proxies: readonly string[]): Problem[] {
  return proxies
    .filter((proxy) => parseRange(proxy) === undefined)
    .map((proxy) => ({
      code: "BAD_OPTION",
      message: `trustedProxies has ${JSON.stringify(proxy)}. It takes addresses and CIDR ranges, for example "10.0.0.0/8".`,
    }));
}

function parseRange(range: string): { address: string; bits: number; type: "ipv4" | "ipv6" } | undefined {
  const [, given = "", prefix] = /^([^/%]+)(?:\/([0-9]{1,3}))?$/.exec(String(range)) ?? [];
  const address = toCanonicalAddress(given);
  if (address === "") return undefined;
  const type = isIP(address) === 4 ? "ipv4" : "ipv6";
  const skipped = type === "ipv4" && isIP(given) === 6 ? 96 : 0; // ::ffff:10.0.0.0/104 is 10.0.0.0/8
  const most = type === "ipv4" ? 32 : 128;
  const bits = prefix === undefined ? most : Number(prefix) - skipped;
  return bits < 0 || bits > most ? undefined : { address, bits, type };
}

/** One spelling for each address, IPv4-mapped ones as IPv4; "" for what is no address. */
export function toCanonicalAddress(text: string): string {
  const family = isIP(text);
  if (family === 0) return "";
  if (family === 4) return text;
  const { address } = new SocketAddress({ address: text.replace(/%.*$/, ""), family: "ipv6" });
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  return mapped?.[1] ?? address;
}

function lastOf(list = ""): string {
  return list.slice(list.lastIndexOf(",") + 1).trim();
}

function oneOf(allowed: readonly string[], value: string): string | undefined {
  return allowed.includes(value) ? value : undefined;
}

function plainHost(host: string): string | undefined {
  return isPlainHost(host) ? host : undefined;
}
