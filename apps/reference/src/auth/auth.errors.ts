export const notCreated = "Failed to create user";
export const notIssued = "Failed to generate token";

/** Hashing a password takes a place in a queue. */
export const busy = { 503: "Service Unavailable" } as const;

/** What every route that checks a password may respond. */
export const loginRefused = { 429: "Too Many Requests", ...busy } as const;
