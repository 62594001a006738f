import assert from "node:assert/strict";

/** Fills in forms as a browser does: it keeps cookies, sends the hidden fields, and follows redirects. */
export class Visitor {
  readonly #site: string;
  readonly #cookies = new Map<string, string>();

  /** @param site The URL without a path. */
  constructor(site: string) {
    this.#site = site;
  }

  /** The page at a path, after redirects. */
  async open(path: string): Promise<{ readonly path: string; readonly html: string }> {
    return this.#follow(path, await this.#send(path));
  }

  /** Fills in the form of a page that has these fields, and returns the page that follows. */
  async submit(path: string, fields: Readonly<Record<string, string>>) {
    const page = await this.open(path);
    const isWanted = (form: string) => Object.keys(fields).every((name) => form.includes(`name="${name}"`));
    const form = page.html.match(/<form[\s\S]*?<\/form>/g)?.find(isWanted);
    assert.ok(form !== undefined, `${page.path} has a form with ${Object.keys(fields)}:\n${page.html}`);
    const hidden = [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
    const action = /action="([^"]+)"/.exec(form)?.[1] ?? page.path;
    const body = new URLSearchParams([
      ...hidden.map(([, name = "", value = ""]) => [name, value]),
      ...Object.entries(fields),
    ]);
    return this.#follow(action, await this.#send(action, { method: "POST", body }));
  }

  async #follow(path: string, response: Response): Promise<{ readonly path: string; readonly html: string }> {
    const location = response.headers.get("location");
    if (location !== null) return this.open(location);
    const html = await response.text();
    assert.equal(response.status, 200, `${path} responds with ${response.status}:\n${html}`);
    return { path, html };
  }

  async #send(path: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { accept: "text/html", cookie, origin: this.#site };
    const response = await fetch(`${this.#site}${path}`, { ...init, headers, redirect: "manual" });
    for (const [, name = "", value = ""] of response.headers
      .getSetCookie()
      .map((text) => /^([^=]+)=([^;]*)/.exec(text) ?? []))
      this.#cookies.set(name, value);
    return response;
  }
}
