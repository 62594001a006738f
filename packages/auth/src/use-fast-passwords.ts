import { type Provider, provide } from "@tenon/core";
import { BcryptCost } from "./settings.ts";

/**
 * Hashes passwords with the lowest cost of bcrypt, in a test: a hash takes about a millisecond.
 * `createTestApp(AppModule, api(), { override: [useFastPasswords()] })`.
 */
export function useFastPasswords(): Provider {
  return provide(BcryptCost, () => 4);
}
