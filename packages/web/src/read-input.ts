import { type ContextTools, type Input, isForm, type RequestLimits, readJsonInput } from "@tenon/core/platform";
import { csrfField } from "./csrf.ts";

type Arguments = Parameters<ContextTools["readInput"]>;

/** Reads forms and JSON. Forms only here: any site can make a browser send one, and this platform checks for that. */
export async function readInput(...[incoming, request, limits]: [...Arguments, RequestLimits]): Promise<Input> {
  if (!isForm(incoming.header("content-type") ?? "")) return readJsonInput(incoming, request, limits);
  const value = (await request.form()).toRecord();
  delete value[csrfField]; // a strict schema would refuse it
  return { value, fromText: true, fromForm: true };
}
