export { endsWithin } from "./body/ends-within.ts";
export { isStream, toByteStream, toRequestBody } from "./body/stream.ts";
export { isMediaType, isToken, mediaTypeOf, tokenCharacter, tokenText } from "./request/grammar.ts";
export { parseRange } from "./request/ip-range.ts";
export { defaultLimits, toSingleHeaders } from "./request/limits.ts";
