import { randomInt } from "node:crypto";

const seed = randomInt(2 ** 32);
const counted = 16;

/**
 * A number for a text, made of its last characters, where signed texts differ, and of a secret of this process.
 * Two texts may share one: whoever finds a text by its number compares both.
 */
export function endHash(text: string): number {
  let hash = seed;
  for (let index = Math.max(0, text.length - counted); index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x9e3779b1); // the golden ratio, odd: no two states become one
  }
  return (hash ^ (hash >>> 15)) & 0x3fffffff; // small enough to be held without an object of its own
}
