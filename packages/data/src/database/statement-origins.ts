import type { CompiledQuery, QueryCompiler } from "kysely";
import { StoreError } from "../store-error.ts";

/** Those of V8's default rarely reach the application. The devtools, createTestApp() and node --stack-trace-limit keep more. */
const shortStack = 10;

/**
 * Where an application builds its statements. A `return` without `await` ends the stack of an error inside of Kysely, so
 * that it would not tell which code has failed. Kept only where stacks are long: in development and in tests.
 */
export class StatementOrigins {
  readonly #stacks = new WeakMap<CompiledQuery, Error>();

  /** Remembers where each statement is compiled. */
  watch(compiler: QueryCompiler): QueryCompiler {
    return {
      compileQuery: (node, queryId) => {
        const query = compiler.compileQuery(node, queryId);
        if (Error.stackTraceLimit > shortStack) this.#stacks.set(query, new Error());
        return query;
      },
    };
  }

  /** Gives the error of a statement the stack of its origin. */
  locate(error: unknown, query: CompiledQuery): unknown {
    const origin = this.#stacks.get(query);
    if (origin === undefined || !(error instanceof StoreError)) return error;
    const frames = origin.stack?.slice("Error".length) ?? ""; // it has no message
    return Object.assign(error, { stack: `${error.name}: ${error.message}${frames}` });
  }
}
