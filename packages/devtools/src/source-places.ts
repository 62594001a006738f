import { Session } from "node:inspector";
import { fileURLToPath } from "node:url";

/** Where a function or a class is written. */
export interface SourcePlace {
  /** The absolute path. */
  readonly file: string;
  /** The first line is 1. */
  readonly line: number;
}

const shared = Symbol.for("tenon.located");

/**
 * Asks the engine where functions are written: exact where names are ambiguous, and nothing has to be recorded when
 * they are defined. Functions that are bound or native have no place. The debugger stays off: V8 discards the code
 * coverage of a process when it is turned off again.
 */
export function findSourcePlaces<F extends object>(functions: Iterable<F>): Map<F, SourcePlace> {
  const list = [...new Set(functions)];
  const places = new Map<F, SourcePlace>();
  const session = new Session();
  session.connect();
  Object.assign(globalThis, { [shared]: list }); // the session reaches only what the global object holds
  try {
    const urls = readUrls(session);
    for (const [index, located] of list.entries()) {
      const place = toPlace(readLocation(session, index), urls);
      if (place !== undefined) places.set(located, place);
    }
  } finally {
    Reflect.deleteProperty(globalThis, shared);
    session.disconnect();
  }
  return places;
}

/** By the id of a script: its URL. */
function readUrls(session: Session): Map<string, string> {
  const urls = new Map<string, string>();
  session.post("Profiler.getBestEffortCoverage", (_error, { result }) => {
    for (const { scriptId, url } of result) urls.set(scriptId, url);
  });
  return urls;
}

interface Location {
  readonly scriptId: string;
  readonly lineNumber: number;
}

/** The callbacks of a session in the same thread run before `post()` returns. */
function readLocation(session: Session, index: number): Location | undefined {
  let location: Location | undefined;
  const expression = `globalThis[Symbol.for("tenon.located")][${index}]`;
  session.post("Runtime.evaluate", { expression }, (_error, evaluated) => {
    const { objectId = "" } = evaluated.result; // every function has one
    session.post("Runtime.getProperties", { objectId, ownProperties: true }, (_failed, found) => {
      const internal = found?.internalProperties?.find(({ name }) => name === "[[FunctionLocation]]");
      location = internal?.value?.value as Location | undefined; // the protocol gives this property this form
    });
  });
  return location;
}

function toPlace(location: Location | undefined, urls: ReadonlyMap<string, string>): SourcePlace | undefined {
  const url = location === undefined ? undefined : urls.get(location.scriptId);
  if (location === undefined || url?.startsWith("file:") !== true) return undefined;
  return { file: fileURLToPath(url), line: location.lineNumber + 1 };
}
