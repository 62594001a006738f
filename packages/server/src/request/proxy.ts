import { BlockList, isIP } from "node:net";
import { isPlainHost } from "./inspect.ts";
import { parseRange, toCanonicalAddress } from "./ip-range.ts";

export interface Peer {
  readonly address: string;
  readonly protocol: string;
  readonly host: string;
}

interface ReceivedRequest {
  readonly socket: object;
  readonly peer: string;
  readonly inspected: { readonly host: string };
  header(name: string): string | undefined;
}

/** Decides where a request came from. Proxy headers count only from trusted peers. */
export class ProxyTrust {
  /** Apart, because node:net treats IPv4 addresses as part of `::/8`. */
  readonly #trusted = { ipv4: new BlockList(), ipv6: new BlockList() };
  readonly #any: boolean;
  readonly #warn: (message: string) => void;
  #hasWarned = false;

  /** The ranges were checked with the options. `warn` is called once, for the first headers that are ignored. */
  constructor(proxies: readonly string[], warn: (message: string) => void = () => {}) {
    this.#any = proxies.length > 0;
    this.#warn = warn;
    for (const { address, bits, type } of proxies.map(parseRange).filter((range) => range !== undefined)) {
      this.#trusted[type].addSubnet(address, bits, type);
    }
  }

  /** Where a request of a socket came from. */
  clientOf(request: ReceivedRequest): Peer {
    const { socket, peer: address, inspected } = request;
    const connected = { address, protocol: "encrypted" in socket ? "https" : "http", host: inspected.host };
    return this.resolve(connected, (name) => request.header(name));
  }

  /** Walks `X-Forwarded-For` from the right and stops at the first address that is not one of our proxies. */
  resolve(peer: Peer, header: (name: string) => string | undefined): Peer {
    const address = toCanonicalAddress(peer.address);
    if (!this.#any || !this.#isTrusted(address)) {
      if (!this.#hasWarned) this.#warnIfForwarded(address, header);
      return { ...peer, address };
    }
    const protocol = lastOf(header("x-forwarded-proto"));
    const host = lastOf(header("x-forwarded-host"));
    return {
      address: this.#clientOf(address, header("x-forwarded-for") ?? ""),
      protocol: protocol === "http" || protocol === "https" ? protocol : peer.protocol,
      host: isPlainHost(host) ? host : peer.host,
    };
  }

  #warnIfForwarded(address: string, header: (name: string) => string | undefined): void {
    const ignored = ["X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host"].find((name) => {
      return header(name.toLowerCase()) !== undefined;
    });
    if (ignored === undefined) return;
    this.#hasWarned = true;
    this.#warn(
      `${ignored} of ${address} is ignored, because it is not one of the trustedProxies. If it is your proxy, add it.`,
    );
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

function lastOf(list = ""): string {
  return list.slice(list.lastIndexOf(",") + 1).trim();
}
