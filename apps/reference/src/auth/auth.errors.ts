import { storeFailures } from "../database/store-failures.ts";

export const notCreated = "Failed to create user";
export const notIssued = "Failed to generate token";

/** Hashing a password takes a place in a queue. */
export const busy = { 503: "Service Unavailable" } as const;

export const wrongCredentials = "Invalid credentials";
export const codeRequired = "Second factor required";

/** What every route that checks a password or creates a user may respond. */
export const loginRefused = { 429: "Too Many Requests", ...busy } as const;

const { 500: failed, 503: unavailable } = storeFailures;
const failures = { 500: [notIssued, ...failed], 503: [busy[503], unavailable] } as const;

export const registerErrors = {
  409: "Email already registered",
  ...loginRefused,
  500: [notCreated, notIssued],
} as const;
export const loginErrors = { 401: [wrongCredentials, codeRequired], ...loginRefused, ...failures } as const;
export const refreshErrors = { 401: "invalid refresh token", ...storeFailures, 500: failures[500] } as const;
export const sessionErrors = { 401: "Invalid session", ...storeFailures } as const;
