/** One message as bytes, and what a server that has read it does. */
export interface WireCase {
  /** The line of the list of advisories: `H1` to `H17`. */
  readonly id: string;
  readonly title: string;
  /** Latin-1: one character is one byte. */
  readonly bytes: string;
  readonly expect: WireExpectation;
}

export interface WireExpectation {
  /** Of all replies, in their order; none when the connection just ends. */
  readonly statuses: readonly number[];
  /** Whether the server ends the connection by itself or answers one more request on it. */
  readonly connection: "closed" | "open";
  /** What the last reply says, as it is written. */
  readonly body?: string;
}

export const host = "Host: localhost\r\n";

export const line = (requestLine: string, headers = "") => `${requestLine}\r\n${host}${headers}\r\n`;
export const get = (headers = "", target = "/posts") => line(`GET ${target} HTTP/1.1`, headers);
export const post = (headers: string, body = "") => line("POST /auth/refresh HTTP/1.1", headers) + body;
export const chunked = (body: string, value = " chunked") => post(`Transfer-Encoding:${value}\r\n`, body);

/** One reply, after which nothing more is read. */
export const closes = (status: number): WireExpectation => ({ statuses: [status], connection: "closed" });
/** Replies on a connection that goes on. */
export const answers = (...statuses: readonly number[]): WireExpectation => ({ statuses, connection: "open" });
/** One 200 with this body on a connection that goes on. */
export const says = (value: unknown): WireExpectation => ({
  statuses: [200],
  connection: "open",
  body: JSON.stringify(value),
});

/** The cases of one line, by title. */
export function casesOf(id: string, cases: Readonly<Record<string, readonly [string, WireExpectation]>>): WireCase[] {
  return Object.entries(cases).map(([title, [bytes, expect]]) => ({ id, title, bytes, expect }));
}
