const lengths = "the length is counted: a declared one that is written differently (`00011`) is not repeated";
const classes = "asks for upstream's own classes; this server has others";
const listeners = "counts listeners of a `ServerResponse` of node:http";
const nextHandler = "`onError` always responds: there is no outer handler of node:http to go on with";
const untyped = "a stream without a content type gets none; upstream says text/plain";
const bindings = "asks for `IncomingMessage` and `ServerResponse` of node:http";
const cleanup = "`autoCleanupIncoming` is an option for streams of node:http; a body that is left is always dropped";
const leaks = "watches an object inside of upstream's request; the server's own tests watch `request.signal`";

const types = "various response body types";

/** The tests of @hono/node-server that do not hold here, with the reason. */
export const exceptions: ReadonlyMap<string, string> = new Map([
  [
    "Invalid request default hostname Should return 200 for a request w/o host header",
    "strict: an HTTP/1.1 request needs a host (RFC 9112, 3.2); no option gives it one",
  ],
  ...["sync", "async"].map(
    (kind) =>
      [
        `Error handling - ${kind} fetchCallback Should not set the response if the error handler does not return a response`,
        nextHandler,
      ] as const,
  ),
  ...[
    "avoid attaching a close listener for sync immediate cacheable string responses",
    "avoid attaching a close listener for sync immediate cacheable Uint8Array responses",
    "avoid attaching a close listener for sync immediate cacheable null responses",
    "attach a close listener and send the body for sync Blob responses",
  ].map((name) => [`Abort request - cacheable response path should ${name}`, listeners] as const),
  ["overrideGlobalObjects default Should be overridden", classes],
  ["overrideGlobalObjects overrideGlobalObjects: true Should be overridden", classes],
  [
    "body reads after client disconnect rejects a body read after the raw stream consumed the disconnected body",
    "reads from `IncomingMessage`; there is no second way to the body",
  ],
  ["autoCleanupIncoming: false http Should return 200 response - POST /no-body-consumed", cleanup],
  ["autoCleanupIncoming: false https Should return 200 response - POST /no-body-consumed", cleanup],
  [
    "Basic Should not raise error for TRACE method",
    "strict: TRACE is refused with 501, because it repeats credentials",
  ],
  [`${types} GlobalResponse Should return 200 response - GET /readable-stream`, untyped],
  [`${types} LightweightResponse Should return 200 response - GET /blob`, classes],
  ...["GlobalResponse", "LightweightResponse"].flatMap((kind) =>
    ["object", "headers", "array"].map(
      (form) =>
        [`${types} ${kind} Should return 200 response - GET /text-with-content-length-${form}`, lengths] as const,
    ),
  ),
  [
    "Stream and non-stream response Should return JSON body - stream",
    "a stream that is complete at once is sent whole, with its length",
  ],
  ["forwarding IncomingMessage and ServerResponse in env Should add `incoming` and `outgoing` to env", bindings],
  ...["GET /", "POST /", "GET /abort"].map(
    (request) => [`Memory leak test Should not have memory leak - ${request}`, leaks] as const,
  ),
]);
