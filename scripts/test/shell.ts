/**
 * The environment without what a shell may have set for applications: a test that needs one of these variables sets it,
 * and no test may reach the user's own database.
 */
export function withoutApplication(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NODE_ENV: _, HOST: __, PORT: ___, DATABASE_URL: ____, REDIS_URL: _____, ...rest } = environment;
  return rest;
}
