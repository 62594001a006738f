import type { Call } from "../../../core/test/support/transports.ts";

export interface Visit {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Attributes included. */
  readonly setCookies: readonly string[];
}

export interface VisitOptions {
  readonly form?: Readonly<Record<string, string>> | readonly (readonly [string, string])[];
  readonly json?: unknown;
  readonly body?: NonNullable<RequestInit["body"]>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Keeps cookies from one request to the next, as a browser does, and never follows a redirect by itself. */
export class Browser {
  readonly cookies = new Map<string, string>();
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  get(path: string, options: VisitOptions = {}): Promise<Visit> {
    return this.request("GET", path, options);
  }

  async request(method: string, path: string, options: VisitOptions = {}): Promise<Visit> {
    const headers = new Headers(options.headers);
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    if (cookie !== "" && !headers.has("cookie")) headers.set("cookie", cookie);
    if (options.json !== undefined) headers.set("content-type", "application/json");
    const response = await this.#call(method, path, { headers, body: toBody(options) });
    const setCookies = response.headers.getSetCookie();
    for (const line of setCookies) this.#keep(line);
    return { status: response.status, headers: response.headers, text: await response.text(), setCookies };
  }

  #keep(line: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/; Max-Age=0(?:;|$)/.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

function toBody({ form, json, body }: VisitOptions): NonNullable<RequestInit["body"]> | null {
  if (form !== undefined) return new URLSearchParams(form as Record<string, string>); // it takes pairs as well
  return json === undefined ? (body ?? null) : JSON.stringify(json);
}
