import type { Context } from "@tenon/core";
import { until } from "./until.ts";

export const request = (path: string, headers = "") => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`;

/** Routes, one of which waits until the test opens the gate. */
export class Gate {
  readonly handled: string[] = [];
  #open = Promise.withResolvers<void>();

  readonly routes = [
    {
      method: "GET" as const,
      path: "/slow",
      handler: async () => {
        this.handled.push("slow");
        await this.#open.promise;
        return "slow";
      },
    },
    {
      method: "GET" as const,
      path: "/fast/:n",
      handler: (ctx: Context) => {
        this.handled.push(ctx.param("n"));
        return ctx.param("n");
      },
    },
    { method: "POST" as const, path: "/body", handler: async (ctx: Context) => (await ctx.request().body()).length },
    {
      method: "GET" as const,
      path: "/large",
      handler: () => {
        this.handled.push("large");
        return "x".repeat(1024 * 1024);
      },
    },
  ];

  open(): void {
    this.#open.resolve();
  }

  until(count: number): Promise<void> {
    return until(() => this.handled.length >= count, `${count} handled requests`);
  }
}
