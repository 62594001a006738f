import { BlockList, isIP, SocketAddress } from "node:net";
import { StartError } from "../errors.ts";
import { isPlainHost } from "./inspect.ts";

export interface Peer {
  readonly address: string;
  readonly protocol: string;
  readonly host: string;
}

/** Decides whose word counts for where a request came from. Without trusted proxies the socket's does, always. */
export class ProxyTrust {
  readonly #trusted = new BlockList();
  readonly #any: boolean;

  constructor(proxies: readonly string[]) {
    this.#any = proxies.length > 0;
    for (const proxy of proxies) this.#trust(proxy);
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
    for (const entry of forwardedFor.split(",").reverse()) {
      const address = toCanonicalAddress(entry.trim());
      if (address === "") return client; // unreadable: what stands left of it cannot be believed either
      client = address;
      if (!this.#isTrusted(address)) return client;
    }
    return client;
  }

  #isTrusted(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#trusted.check(address, family === 6 ? "ipv6" : "ipv4");
  }

  #trust(proxy: string): void {
    const [address = "", prefix, ...rest] = proxy.split("/");
    const family = isIP(address);
    const bits = prefix === undefined ? (family === 6 ? 128 : 32) : Number(prefix);
    if (
      family === 0 ||
      rest.length > 0 ||
      prefix === "" ||
      !Number.isInteger(bits) ||
      bits < 0 ||
      bits > (family === 6 ? 128 : 32)
    ) {
      throw new StartError([
        {
          code: "BAD_OPTION",
          message: `trustedProxies has "${proxy}". It takes addresses and CIDR ranges, for example "10.0.0.0/8".`,
        },
      ]);
    }
    this.#trusted.addSubnet(address, bits, family === 6 ? "ipv6" : "ipv4");
  }
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

function lastOf(list: string | undefined): string {
  return list?.split(",").at(-1)?.trim() ?? "";
}

function oneOf(allowed: readonly string[], value: string): string | undefined {
  return allowed.includes(value) ? value : undefined;
}

function plainHost(host: string): string | undefined {
  return isPlainHost(host) ? host : undefined;
}
