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
  /** Where the handler is written; undefined where it is unknown. */
  readonly file?: string;
  readonly line?: number;
}

export interface KeyDescription {
  readonly name: string;
  /** The module that declares it. */
  readonly module: string;
}

export interface DeclarationDescription {
  readonly name: string;
  readonly kind: "class" | "token";
  readonly file?: string;
  readonly line?: number;
}

export interface ModuleDescription {
  readonly name: string;
  readonly imports: readonly string[];
  /** What its importers see, re-exports included. */
  readonly exports: readonly KeyDescription[];
  readonly declarations: readonly DeclarationDescription[];
}

export interface InjectionDescription {
  readonly user: string;
  readonly module: string;
  readonly name: string;
  /** Undefined for what every module sees. */
  readonly from?: string;
}

/** What an application says about itself instead of starting. */
export interface Description {
  readonly platform: string;
  readonly routes: readonly RouteDescription[];
  /** The OpenAPI document; undefined on platforms that have none. */
  readonly openapi?: object;
  /** Undefined in the message of an older application, like the two below. */
  readonly modules?: readonly ModuleDescription[];
  readonly injections?: readonly InjectionDescription[];
  /** Where data is kept, without passwords. */
  readonly stores?: Readonly<Record<string, string>>;
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
