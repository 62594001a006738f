/** Every party has its own namespace, so the usual ports are free. */
export const httpPort = 8080;
export const postgresPort = 5432;
export const poolerPort = 6432;
export const responderPort = 8008;
export const redisPort = 6379;
