/** A route, as the application describes it. */
export interface RouteDescription {
  /** Undefined for a command. */
  readonly method?: string;
  readonly path: string;
  readonly handler: string;
  readonly controller: string;
  readonly middlewares: readonly string[];
  readonly module?: string;
  readonly operationId?: string;
  /** Whether the endpoint declares what it takes and returns. */
  readonly declared: boolean;
  /** Whether one of its middlewares is a guard. */
  readonly secured: boolean;
  readonly summary?: string;
}

/** What an application says about itself instead of starting. */
export interface Description {
  readonly platform: string;
  readonly routes: readonly RouteDescription[];
  /** The OpenAPI document; undefined on platforms that have none. */
  readonly openapi?: object;
}

/** The version of the message between the application and the tool. */
export const descriptionVersion = 1;

export type Reading = Description | "other version" | undefined;

/** Undefined for a message of the application's own. */
export function readDescription(message: unknown): Reading {
  if (typeof message !== "object" || message === null || !("tenon" in message)) return undefined;
  if (message.tenon !== descriptionVersion || !("routes" in message) || !Array.isArray(message.routes)) {
    return "other version";
  }
  return message as unknown as Description; // this version of the message has these fields
}
