// What the peers use of Bun's globals: its own types would replace some of Node's.

declare namespace Bun {
  interface RoutedRequest extends Request {
    readonly params: Readonly<Record<string, string>>;
  }

  type Handler = (request: RoutedRequest) => Response | Promise<Response>;

  interface ServeOptions {
    readonly port: number;
    readonly hostname: string;
    /** Handlers by path and method. */
    readonly routes?: Readonly<Record<string, Readonly<Record<string, Handler>>>>;
    /** Takes what no route matches; without it that is a 404. */
    readonly fetch?: (request: Request) => Response | Promise<Response>;
  }

  function serve(options: ServeOptions): unknown;
}
