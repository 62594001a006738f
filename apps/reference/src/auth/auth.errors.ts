import { storeFailures } from "../database/store-failures.ts";

export const notCreated = "Failed to create user";
export const notIssued = "Failed to generate token";

/** Hashing a password takes a place in a queue. */
export const busy = { 503: "Service Unavailable" } as const;

export const wrongCredentials = "Invalid credentials";
export const codeRequired = "Second factor required";

/** What every route that checks a password may respond. */
export const loginRefused = { 429: "Too Many Requests", ...busy } as const;

const failures = [notIssued, ...storeFailures] as const;

export const registerErrors = { 409: "Email already registered", ...busy, 500: [notCreated, notIssued] } as const;
export const loginErrors = { 401: [wrongCredentials, codeRequired], ...loginRefused, 500: failures } as const;
export const refreshErrors = { 401: "invalid refresh token", 500: failures } as const;
export const sessionErrors = { 401: "Invalid session", 500: storeFailures } as const;
