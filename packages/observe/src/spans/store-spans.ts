import { type Attributes, ROOT_CONTEXT, SpanKind } from "@opentelemetry/api";
import type { TracedHash } from "@tenon/auth";
import { HttpError } from "@tenon/core";
import { causesOf } from "@tenon/core/internal";
import type { TracedRedis, TracedSql } from "@tenon/data";
import type { TracedEvent, TracedMessage } from "@tenon/live";
import { toSystemName } from "../conventions.ts";
import { eventTracing, hashTracing, messageTracing, redisTracing, sqlTracing } from "../tracing.ts";
import type { Operation } from "./span-bridge.ts";
import type { SqlSummaries } from "./sql-text.ts";

/** Statements, without the values of their parameters. */
export function createSqlSpans(summaries: SqlSummaries): Operation<TracedSql> {
  return {
    tracing: sqlTracing,
    kind: SpanKind.CLIENT,
    nameOf: ({ sql }) => summaries.of(sql).summary,
    attributesOf: ({ database, sql, place }) => {
      const { text, operation, summary } = summaries.of(sql);
      return {
        "db.system.name": toSystemName(database),
        "db.query.text": text,
        "db.query.summary": summary,
        "db.operation.name": operation,
        ...describePlace(place),
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
export const redisSpans: Operation<TracedRedis> = {
  tracing: redisTracing,
  kind: SpanKind.CLIENT,
  nameOf: ({ command }) => command,
  attributesOf: ({ command, place }) => ({
    "db.system.name": "redis",
    "db.operation.name": command,
    ...describePlace(place),
  }),
};

export const eventSpans: Operation<TracedEvent> = {
  tracing: eventTracing,
  kind: SpanKind.PRODUCER,
  nameOf: ({ event }) => `publish ${event}`,
  attributesOf: ({ event }) => ({
    "messaging.system": "tenon.live",
    "messaging.operation.type": "send",
    "tenon.event": event,
  }),
};

/** A message of a WebSocket has a trace of its own: its connection may stay open for days. */
export const messageSpans: Operation<TracedMessage> = {
  tracing: messageTracing,
  startsTraces: true,
  kind: SpanKind.CONSUMER,
  nameOf: ({ message }) => `process ${message}`,
  attributesOf: ({ ctx, message }) => ({
    "messaging.system": "tenon.live",
    "messaging.operation.type": "process",
    "http.route": ctx.route?.path ?? "",
    "tenon.message": message,
  }),
  parentOf: () => ROOT_CONTEXT,
};

export const hashSpans: Operation<TracedHash> = {
  tracing: hashTracing,
  kind: SpanKind.INTERNAL,
  nameOf: ({ operation }) => `password ${operation}`,
  attributesOf: ({ operation }) => ({ "tenon.password.operation": operation }),
};

function describePlace({ namespace, address, port }: TracedRedis["place"]): Attributes {
  return {
    "db.namespace": namespace,
    ...(address === undefined ? {} : { "server.address": address }),
    ...(port === undefined ? {} : { "server.port": port }),
  };
}

/** The code of the database, such as an SQLSTATE: an error of a store has that of the driver among its causes. */
function codeOf(error: unknown): string | undefined {
  for (const cause of causesOf(error)) {
    if (cause instanceof HttpError) continue; // its code is that of the framework
    if ("errcode" in cause && typeof cause.errcode === "number") return String(cause.errcode);
    if ("code" in cause && typeof cause.code === "string") return cause.code;
  }
  return undefined;
}
