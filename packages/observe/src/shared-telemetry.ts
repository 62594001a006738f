import type { TelemetryParts } from "./open-telemetry.ts";
import { Telemetry } from "./telemetry.ts";

interface Shared {
  readonly started: Promise<Telemetry>;
  users: number;
}

// channels and the API of OpenTelemetry belong to the process: two applications that each listened would make every span twice
let shared: Shared | undefined;

/** Starts the telemetry of this process, or joins it. The settings of the first application count. */
export async function joinTelemetry(parts: TelemetryParts): Promise<Telemetry> {
  shared ??= { started: Telemetry.start(parts), users: 0 };
  shared.users++;
  try {
    return await shared.started;
  } catch (error) {
    shared = undefined;
    throw error;
  }
}

/** The last application stops it. */
export async function leaveTelemetry(): Promise<void> {
  if (shared === undefined || --shared.users > 0) return;
  const { started } = shared;
  shared = undefined;
  await (await started).stop();
}
