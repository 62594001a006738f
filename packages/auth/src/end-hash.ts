import { randomInt } from "node:crypto";

const seed = randomInt(2 ** 32);
const length = 16;

/**
 * A hash of the last characters of a text, where signed texts differ, seeded by a secret of this process. Two texts may
 * share a hash, so a look-up must compare the texts.
 */
export function endHash(text: string): number {
  let hash = seed;
  for (let index = Math.max(0, text.length - length); index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x9e3779b1); // odd, so that no two states become one
  }
  return (hash ^ (hash >>> 15)) & 0x3fffffff; // fits into a small integer of V8
}
