import type { Background, BackgroundPlatform, BackgroundRoutes, BackgroundWork } from "./platform.ts";

/** The background work of one application: started after its modules, stopped before them. */
export class ApplicationBackground implements Background {
  readonly stopTimeout: number;
  readonly work: BackgroundWork[] = [];
  /** Set when the routes are known. */
  onOpen: ((platform: BackgroundPlatform) => BackgroundRoutes) | undefined;
  /** Whether a `start()` has thrown. */
  failed = false;
  #starting: Promise<void> | undefined;

  constructor(stopTimeout: number) {
    this.stopTimeout = stopTimeout;
  }

  add(work: BackgroundWork): void {
    this.work.push(work);
  }

  open(platform: BackgroundPlatform): BackgroundRoutes {
    if (this.onOpen === undefined) {
      throw new Error("Background.open() was called before the routes were known. Call it in start() or later.");
    }
    return this.onOpen(platform);
  }

  start(): Promise<void> {
    this.#starting ??= this.#start();
    return this.#starting;
  }

  async stop(): Promise<void> {
    await this.#starting?.catch(() => {});
    await Promise.all(this.work.map((work) => work.stop()));
  }

  async #start(): Promise<void> {
    try {
      for (const work of this.work) await work.start();
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }
}
