import { isDeepStrictEqual } from "node:util";
import type { Expectation, Scenario } from "./scenarios.ts";

/** Checks before the measurement that all peers send the same responses. Throws at the first difference. */
export async function checkAnswers(port: number, peer: string, scenario: Scenario<string>): Promise<void> {
  for (const expectation of scenario.expectations) {
    const { request } = expectation;
    const response = await fetch(`http://127.0.0.1:${port}${request.path}`, {
      method: request.method,
      headers: { ...request.headers, connection: "close" },
      ...(request.body === undefined ? {} : { body: request.body }),
      signal: AbortSignal.timeout(10_000),
    });
    const text = await response.text();
    const fault = findFault(expectation, response, text);
    if (fault === undefined) continue;
    throw new Error(`${peer}, "${scenario.name}": ${request.method} ${request.path} ${fault}: ${text.slice(0, 200)}`);
  }
}

function findFault({ status, json, encoding }: Expectation, response: Response, text: string): string | undefined {
  if (status === "refused") {
    return response.status >= 400 && response.status < 500 ? undefined : `was not refused but ${response.status}`;
  }
  if (response.status !== status) return `got ${response.status}, not ${status}`;
  if (response.headers.get("content-type")?.startsWith("application/json") !== true) return "is not JSON";
  const sent = response.headers.get("content-encoding") ?? undefined;
  if (sent !== encoding) return `has the encoding ${sent}, not ${encoding}`;
  if (json !== undefined && !isDeepStrictEqual(JSON.parse(text), json)) return "has another body";
  return undefined;
}
