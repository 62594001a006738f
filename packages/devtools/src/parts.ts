import { token } from "@tenon/core";
import type { DevtoolsHost } from "@tenon/core/internal";
import type { DevPanel, DevPanelSource, Introspection, RequestHandler } from "@tenon/core/platform";
import type { DeveloperAccess } from "./developer-access.ts";
import type { PageTokens } from "./page-tokens.ts";
import type { RecordBuffer } from "./record/record-buffer.ts";
import type { Recorder } from "./record/recorder.ts";

/** Where the developer tools are. */
export const devtoolsPath = "/_dev";

/** `target` is a path with its query. */
export function isDevtoolsTarget(target: string): boolean {
  return /^\/_dev(?:[/?]|$)/.test(target);
}

/** What the developer tools of an application are given. */
export interface DevtoolsSettings extends Omit<DevtoolsHost, "options" | "secret"> {
  /** Decides who is the developer. */
  readonly access: DeveloperAccess;
  /** How many requests and jobs are kept. */
  readonly keep: number;
  /** Milliseconds from which on a statement is marked as slow. */
  readonly slowQuery: number;
  /** Keeps the records across restarts. */
  readonly file: string | false | undefined;
  /** The value of TENON_EDITOR. */
  readonly editor: string | undefined;
}

/** What their pages use. */
export interface DevtoolsParts extends DevtoolsSettings {
  readonly buffer: RecordBuffer;
  readonly recorder: Recorder;
  readonly tokens: PageTokens;
  /** The application that is looked at. */
  readonly next: RequestHandler;
}

export const DevtoolsParts = token<DevtoolsParts>("DevtoolsParts");

/** Those of all packages, in the order of their start. Of two with the same id the first counts. */
export function findPanels(introspection: Pick<Introspection, "instances">): DevPanel[] {
  const panels = introspection
    .instances()
    .filter(isDevPanelSource)
    .flatMap((source) => source.devPanels());
  return [...new Map(panels.toReversed().map((panel) => [panel.id, panel])).values()].reverse();
}

function isDevPanelSource(value: unknown): value is DevPanelSource {
  return typeof value === "object" && value !== null && "devPanels" in value && typeof value.devPanels === "function";
}
