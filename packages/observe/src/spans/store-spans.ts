import { SpanKind } from "@opentelemetry/api";
import {
  type EventPayload,
  eventSignal,
  type HashPayload,
  hashSignal,
  type RedisPayload,
  redisSignal,
  type SqlPayload,
  sqlSignal,
} from "../payloads.ts";
import type { SqlSummaries } from "../sql-text.ts";
import type { Operation } from "./span-bridge.ts";

const systems: Readonly<Record<string, string>> = { postgres: "postgresql" };

/** The name of a database in the conventions of OpenTelemetry. */
export function toSystemName(database: string): string {
  return systems[database] ?? database;
}

/** Statements, without the values of their parameters. */
export function createSqlSpans(summaries: SqlSummaries): Operation<SqlPayload> {
  return {
    signal: sqlSignal,
    kind: SpanKind.CLIENT,
    nameOf: ({ sql }) => summaries.of(sql).summary,
    attributesOf: ({ database, sql }) => {
      const { text, operation, summary } = summaries.of(sql);
      return {
        "db.system.name": toSystemName(database),
        "db.query.text": text,
        "db.query.summary": summary,
        "db.operation.name": operation,
      };
    },
    onEnd: ({ rows, error }, span) => {
      if (rows !== undefined) span.setAttribute("db.response.returned_rows", rows);
      const status = codeOf(error);
      if (status !== undefined) span.setAttribute("db.response.status_code", status);
    },
  };
}

/** Commands, without their keys and values. */
export const redisSpans: Operation<RedisPayload> = {
  signal: redisSignal,
  kind: SpanKind.CLIENT,
  nameOf: ({ command }) => command,
  attributesOf: ({ command }) => ({ "db.system.name": "redis", "db.operation.name": command }),
};

export const eventSpans: Operation<EventPayload> = {
  signal: eventSignal,
  kind: SpanKind.PRODUCER,
  nameOf: ({ event }) => `publish ${event}`,
  attributesOf: ({ event }) => ({
    "messaging.system": "tenon.live",
    "messaging.operation.type": "send",
    "tenon.event": event,
  }),
};

export const hashSpans: Operation<HashPayload> = {
  signal: hashSignal,
  kind: SpanKind.INTERNAL,
  nameOf: ({ operation }) => `password ${operation}`,
  attributesOf: ({ operation }) => ({ "tenon.password.operation": operation }),
};

/** The code of the database: an error of a store has that of the driver as its cause. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { cause } = error;
  if (typeof cause !== "object" || cause === null) return undefined;
  if ("errcode" in cause && typeof cause.errcode === "number") return String(cause.errcode);
  return "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
}
