import { HttpError } from "@tenon/core";

// the names of the conventions of OpenTelemetry: spans and metrics have the same

const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** A method of a client's own would be a new series each. */
export function toKnownMethod(method: string): string {
  return methods.has(method) ? method : "_OTHER";
}

/** The method in the name of a span. */
export function toSpanMethod(method: string): string {
  return methods.has(method) ? method : "HTTP";
}

const systems: Readonly<Record<string, string>> = { postgres: "postgresql" };

/** The name of a database in the conventions of OpenTelemetry. */
export function toSystemName(database: string): string {
  return systems[database] ?? database;
}

/** Whether it was not the client who caused the error. */
export function countsAsError(error: unknown): boolean {
  return error !== undefined && !(error instanceof HttpError && error.status < 500);
}

/** A code such as ECONNREFUSED, else the class. */
export function typeOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return typeof error;
  if ("code" in error && typeof error.code === "string" && error.code !== "") return error.code;
  return error.constructor?.name || "Error";
}
