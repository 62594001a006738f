import { inject, Log, type OnStart, type OnStop } from "@tenon/core";
import { Introspection } from "@tenon/core/platform";
import { ObserveSettings } from "./settings.ts";
import { joinTelemetry, leaveTelemetry, type Telemetry } from "./telemetry.ts";

/** Listens to the channels of the process while the application runs. */
export class Observer implements OnStart, OnStop {
  readonly #settings = inject(ObserveSettings);
  readonly #introspection = inject(Introspection);
  readonly #log = inject(Log);
  /** Undefined before the start. */
  telemetry: Telemetry | undefined;

  async onStart(): Promise<void> {
    const { serviceName = this.#introspection.module } = this.#settings;
    this.telemetry = await joinTelemetry({ settings: this.#settings, serviceName, log: this.#log });
  }

  async onStop(): Promise<void> {
    await leaveTelemetry();
  }
}
