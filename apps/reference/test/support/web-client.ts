export interface WebReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** "" when the response is not a redirect. */
  readonly location: string;
}

export interface SubmitOptions {
  /** As browsers send forms with `enctype="multipart/form-data"`. */
  readonly multipart?: boolean;
  /** Defaults to the token of the page seen last; "" for none. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Acts like a browser over HTTP: keeps cookies and sends the CSRF token of its current page. */
export class WebClient {
  readonly url: string;
  readonly cookies = new Map<string, string>();
  #referer = "";
  #token = "";

  constructor(url: string) {
    this.url = url;
  }

  async get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<WebReply> {
    const reply = await this.#call("GET", path, { accept: "text/html,*/*;q=0.8", ...headers });
    if (reply.status !== 303) this.#look(path, reply);
    return reply;
  }

  /** Sends a form of the page seen last. */
  async submit(
    path: string,
    fields: Readonly<Record<string, string>>,
    { multipart = false, token = this.#token, headers = {} }: SubmitOptions = {},
  ): Promise<WebReply> {
    const body = multipart ? new FormData() : new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    if (token !== "") body.append("_csrf", token);
    const own = { origin: this.url, "sec-fetch-site": "same-origin", referer: `${this.url}${this.#referer}` };
    const reply = await this.#call("POST", path, { accept: "text/html,*/*;q=0.8", ...own, ...headers }, body);
    if (reply.status !== 303) this.#look(path, reply);
    return reply;
  }

  /** Sends JSON as a script does, with the token of the page seen last. */
  send(method: string, path: string, data: unknown, headers: Readonly<Record<string, string>> = {}): Promise<WebReply> {
    const own = { accept: "application/json", "content-type": "application/json", "x-csrf-token": this.#token };
    return this.#call(method, path, { ...own, ...headers }, JSON.stringify(data));
  }

  /** Follows a redirect. */
  follow({ location }: WebReply): Promise<WebReply> {
    return this.get(location);
  }

  #look(path: string, { text }: WebReply): void {
    this.#referer = path;
    this.#token = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? this.#token;
  }

  async #call(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: FormData | URLSearchParams | string,
  ): Promise<WebReply> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(`${this.url}${path}`, {
      method,
      redirect: "manual",
      headers: { ...(cookie === "" ? {} : { cookie }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      location: response.headers.get("location") ?? "",
    };
  }

  #keep(line: string): void {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/;\s*Max-Age=0/i.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
