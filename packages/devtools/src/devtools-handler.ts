import { type Incoming, Outgoing, type RequestHandler } from "@tenon/core/platform";
import { PageTokens } from "./page-tokens.ts";
import { type DevtoolsSettings, devtoolsPath } from "./parts.ts";
import { RecordBuffer } from "./record/record-buffer.ts";
import { claimRecordFile, RecordFile } from "./record/record-file.ts";
import { JsonIncoming } from "./record/recorded-incoming.ts";
import { Recorder } from "./record/recorder.ts";

/** The paths of live reload. */
const reloadPrefix = "/@tenon/";

/** Records the requests of an application, and serves the pages that show them to its developer. */
export class DevtoolsHandler implements RequestHandler {
  readonly #settings: DevtoolsSettings;
  readonly #next: RequestHandler;
  readonly #buffer: RecordBuffer;
  readonly #recorder: Recorder;
  #pages: Promise<RequestHandler> | undefined;
  #hasExplained = false;

  constructor(settings: DevtoolsSettings, next: RequestHandler) {
    const { keep, file, introspection } = settings;
    this.#settings = settings;
    this.#next = next;
    this.#buffer = new RecordBuffer(keep, file === false ? undefined : new RecordFile(file ?? claimRecordFile()));
    this.#recorder = new Recorder(this.#buffer, () => introspection.routes.list().map(({ path: route }) => route));
    this.#recorder.start();
  }

  handle(incoming: Incoming): Outgoing | Promise<Outgoing> {
    const { path } = incoming;
    if (path.startsWith(reloadPrefix)) return this.#next.handle(incoming);
    const isOwn = path === devtoolsPath || path.startsWith(`${devtoolsPath}/`);
    if (!isOwn) return this.#recorder.handle(incoming, this.#next);
    if (this.#settings.access.hasSecret(incoming)) return this.#recorder.ignore(() => this.#serve(incoming));
    // to any other client there are no developer tools: the application responds as it would without them
    this.#explain();
    return this.#recorder.handle(incoming, this.#next);
  }

  /** Once: a developer may have typed the address, and a stranger must not fill the log. */
  #explain(): void {
    if (this.#hasExplained) return;
    this.#hasExplained = true;
    this.#settings.log.info(`${devtoolsPath} opens with the link in the banner, which carries a secret`);
  }

  /** The page of the current request. */
  get requestPage(): string | undefined {
    const id = this.#recorder.currentId;
    return id === undefined ? undefined : `${devtoolsPath}/requests/${id}`;
  }

  stop(): void {
    this.#recorder.stop();
  }

  async #serve(incoming: Incoming): Promise<Outgoing> {
    try {
      this.#pages ??= this.#openPages();
      const pages = await this.#pages;
      return await pages.handle(incoming.path.endsWith(".json") ? new JsonIncoming(incoming) : incoming);
    } catch (error) {
      this.#settings.log.error({ err: error }, "the developer tools could not be opened");
      return new Outgoing(500, "The developer tools could not be opened: see the log.", "text/plain; charset=utf-8");
    }
  }

  /** Loaded for the first request, so that they do not slow the start. */
  async #openPages(): Promise<RequestHandler> {
    const { createDevtoolsApp } = await import("./pages/devtools-app.ts");
    return createDevtoolsApp({
      ...this.#settings,
      buffer: this.#buffer,
      recorder: this.#recorder,
      tokens: new PageTokens(),
      next: this.#next,
    });
  }
}
