import { type ApiOptions, api, type Class, defineModule, type Module } from "@tenon/core";
import { createTestApp, type TestAppOptions, type TestHttpApp } from "@tenon/core/testing";
import { type LiveOptions, liveModule } from "@tenon/live";

export interface LiveApp {
  readonly app: TestHttpApp;
  /** `http://127.0.0.1:…` */
  readonly url: string;
}

/** An application with one controller, on a port of its own. */
export async function withLiveApp(
  controller: Class,
  body: (live: LiveApp) => Promise<void>,
  { options = {}, imports = [], declarations = [], platform = {}, log }: Settings = {},
): Promise<void> {
  const live = liveModule(undefined, options);
  const module = defineModule({
    name: "test",
    imports: [live, ...imports],
    declarations: [controller, ...declarations],
  });
  const app = await createTestApp(module, api({ middlewares: [], ...platform }), {
    ...(log === undefined ? {} : { log }),
  });
  try {
    const { url } = await app.listen({ port: 0, signals: false });
    await body({ app, url });
  } finally {
    await app.stop();
  }
}

export interface Settings {
  readonly options?: LiveOptions;
  readonly imports?: readonly Module[];
  readonly declarations?: readonly Class[];
  readonly platform?: ApiOptions;
  readonly log?: NonNullable<TestAppOptions["log"]>;
}
