import { isIP } from "node:net";

/**
 * Whom an address stands for when callers are counted. One IPv6 customer holds a whole /64 and could otherwise call
 * from a new address each time; IPv4-mapped addresses are the IPv4 address, not one common network.
 */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address;
  const groups = toGroups(address);
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join(".");
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
}

/** The eight groups of a valid IPv6 address, whichever way it is written. */
function toGroups(address: string): number[] {
  const [text = ""] = address.split("%");
  const [head = "", tail] = text.split("::");
  const left = readGroups(head);
  if (tail === undefined) return left;
  const right = readGroups(tail);
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
}

function readGroups(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((part) => {
    if (!part.includes(".")) return [Number.parseInt(part, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = part.split(".").map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}
