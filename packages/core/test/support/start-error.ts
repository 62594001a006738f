import assert from "node:assert/strict";
import { type ApiOptions, api, type Class, defineModule, type Module, type Provider, StartError } from "@tenon/core";
import { createTestApp, type TestAppOptions } from "@tenon/core/testing";

/** The start error of this module. */
export async function startError(
  module: Module,
  options: TestAppOptions = {},
  platform: ApiOptions = {},
): Promise<StartError> {
  return rejection(createTestApp(module, api(platform), options));
}

/** The message of the start error for a module with these declarations. */
export async function startText(...declarations: readonly (Class | Provider)[]): Promise<string> {
  const error = await startError(defineModule({ name: "app", declarations }));
  return error.message;
}

export async function rejection(work: Promise<unknown>): Promise<StartError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof StartError) return error;
    throw error;
  }
  return assert.fail("it started");
}
