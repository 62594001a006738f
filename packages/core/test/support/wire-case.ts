/** One message as bytes, and how a server must react. */
export interface WireCase {
  /** The id in the list of advisories: `H1` to `H17`. */
  readonly id: string;
  readonly title: string;
  /** Latin-1: one character is one byte. */
  readonly bytes: string;
  readonly expect: WireExpectation;
}

export interface WireExpectation {
  /** Statuses of all responses, in order; none when the connection closes without one. */
  readonly statuses: readonly number[];
  /** Whether the server closes the connection or handles one more request on it. */
  readonly connection: "closed" | "open";
  /** The body of the last response. */
  readonly body?: string;
}

export const host = "Host: localhost\r\n";

export const line = (requestLine: string, headers = "") => `${requestLine}\r\n${host}${headers}\r\n`;
export const get = (headers = "", target = "/posts") => line(`GET ${target} HTTP/1.1`, headers);
export const post = (headers: string, body = "") => line("POST /auth/refresh HTTP/1.1", headers) + body;
export const chunked = (body: string, value = " chunked") => post(`Transfer-Encoding:${value}\r\n`, body);

/** One response, after which nothing more is read. */
export const closes = (status: number): WireExpectation => ({ statuses: [status], connection: "closed" });
/** Responses on a connection that stays open. */
export const responds = (...statuses: readonly number[]): WireExpectation => ({ statuses, connection: "open" });
/** One 200 with this value as its JSON body, on a connection that stays open. */
export const respondsWith = (value: unknown): WireExpectation => ({
  statuses: [200],
  connection: "open",
  body: JSON.stringify(value),
});

/** The cases of one id, by title. */
export function casesOf(id: string, cases: Readonly<Record<string, readonly [string, WireExpectation]>>): WireCase[] {
  return Object.entries(cases).map(([title, [bytes, expect]]) => ({ id, title, bytes, expect }));
}
