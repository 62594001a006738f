import type { WireCase } from "../support/wire-case.ts";
import { bodyCases } from "./wire-cases/bodies.ts";
import { chunkCases } from "./wire-cases/chunks.ts";
import { exchangeCases } from "./wire-cases/exchanges.ts";
import { framingCases } from "./wire-cases/framing.ts";
import { headerCases } from "./wire-cases/headers.ts";

export type { WireCase, WireExpectation } from "../support/wire-case.ts";

/**
 * Bytes of hostile and unusual clients, with the response of the server. The targets exist in the reference service
 * too, so that the fuzzer, which mutates these bytes, gets past its router. Cases of H7 are incomplete on purpose.
 */
export const wireCases: readonly WireCase[] = [
  ...framingCases,
  ...chunkCases,
  ...headerCases,
  ...bodyCases,
  ...exchangeCases,
];
