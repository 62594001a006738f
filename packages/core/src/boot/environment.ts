import { type Problem, StartError } from "../errors.ts";
import { type LogLevel, logLevels } from "../log/log.ts";

const oldestNode = 24;

export interface Environment {
  /** Undefined when LOG_LEVEL is not set: the caller knows the better default. */
  readonly logLevel: LogLevel | undefined;
  readonly production: boolean;
  readonly color: boolean;
}

/** The only reader of process.env in the framework. */
export function readEnvironment(
  env: NodeJS.ProcessEnv = process.env,
  version: string = process.versions.node,
): Environment {
  const problems: Problem[] = [];
  if (Number.parseInt(version, 10) < oldestNode) {
    problems.push({
      code: "BAD_ENVIRONMENT",
      message: `Tenon needs Node ${oldestNode} or newer, this is ${version}.`,
    });
  }
  const level = env.LOG_LEVEL || undefined;
  const logLevel = level !== undefined && isLogLevel(level) ? level : undefined;
  if (level !== logLevel) {
    problems.push({
      code: "BAD_ENVIRONMENT",
      message: `LOG_LEVEL is ${JSON.stringify(level)}. Use one of: ${logLevels.join(", ")}.`,
    });
  }
  if (problems.length > 0) throw new StartError(problems);
  return { logLevel, production: env.NODE_ENV === "production", color: !env.NO_COLOR };
}

function isLogLevel(value: string): value is LogLevel {
  return (logLevels as readonly string[]).includes(value);
}
