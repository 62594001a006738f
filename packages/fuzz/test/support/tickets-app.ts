import {
  api,
  array,
  type Context,
  dto,
  endpoint,
  HttpError,
  integer,
  type Middleware,
  type Next,
  type Routes,
  string,
} from "@tenon/core";
import { createTestApp } from "@tenon/core/testing";
import { moduleOf } from "../../../core/test/support/transports.ts";

type Hole = "ticket" | "merge" | "stats" | "filter" | "like" | "copy" | "order" | "order once";

export interface TicketsOptions {
  /** With two parameters: `/organisations/:org/tickets/:ticket`. */
  readonly path?: string;
  /** Serial numbers of each kind, which objects of others have too, or texts that the application has chosen. */
  readonly ids?: "number" | "slug";
  readonly hole?: Hole | undefined;
  /** Whether no other user than alice may create anything. */
  readonly isAlicesOnly?: boolean;
}

interface Row {
  readonly id: number | string;
  readonly user: string;
  readonly parent: number | string;
  readonly text: string;
}

class Login implements Middleware {
  readonly contract = {
    security: { user: { type: "apiKey", in: "header", name: "x-user" } },
    errors: { 401: "Unauthorized" },
  } as const;

  handle(ctx: Context, next: Next) {
    if (ctx.header("x-user") === "") throw new HttpError(401, "Unauthorized");
    return next();
  }
}

/** Organisations with tickets, each of one user. */
export function createTicketsApp({
  path = "/organisations/:organisation/tickets/:ticket",
  ids = "number",
  hole,
  isAlicesOnly = false,
}: TicketsOptions) {
  const [, parents = "", parent = "", children = "", child = ""] = /^(.*):(\w+)(\/.*\/):(\w+)$/.exec(path) ?? [];
  const organisations: Row[] = [];
  const tickets: Row[] = [];
  const used = new Set<Row["id"]>();
  const id = ids === "number" ? integer("required") : string("required");
  const optional = ids === "number" ? integer() : string();
  const owner = integer("required");
  const Organisation = dto({ id, text: string("required"), owner });
  const Ticket = dto({ id, text: string("required"), details: string("required"), owner });
  const Merge = dto({ source: id, target: id });
  const userOf = (ctx: Context) => ctx.header("x-user");
  const numberOf = (user: string) => (user === "alice" ? 41 : 42);
  const show = ({ id, user, text }: Row) => ({ id, text, details: `about ${text}`, owner: numberOf(user) });
  const insert = (rows: Row[], user: string, text: string, parent: Row["parent"] = 0) => {
    if (isAlicesOnly && user !== "alice") throw new HttpError(403, "Forbidden");
    const number = rows.length + 1;
    const row = { id: ids === "number" ? number : `${text.replaceAll(/\W+/g, "-")}-${number}`, user, text, parent };
    rows.push(row);
    return show(row);
  };
  const find = (rows: readonly Row[], value: unknown, user: string | undefined): Row => {
    const row = rows.find((one) => String(one.id) === String(value) && (user === undefined || one.user === user));
    if (row === undefined) throw new HttpError(404, "Not Found");
    return row;
  };
  const unless = (name: Hole, ctx: Context) => (hole === name ? undefined : userOf(ctx));
  const param = (ctx: Context, name: string) => ctx.param(name as never) as string; // the path is not known to the types
  const organisationOf = (ctx: Context) => find(organisations, param(ctx, parent), userOf(ctx));
  const errors = { 403: "Forbidden", 404: "Not Found" } as const;
  const collection = `${parents}:${parent}${children.replace(/\/$/, "")}`;

  const routes: Routes = [
    {
      method: "POST",
      path: parents.replace(/\/$/, ""),
      handler: endpoint(
        { operationId: "createOrg", body: dto({ text: string("required") }), returns: { 201: Organisation }, errors },
        (ctx, { body }) => insert(organisations, userOf(ctx), body.text),
      ),
    },
    {
      method: "POST",
      path: collection,
      handler: endpoint(
        {
          operationId: "createTicket",
          body: dto({ text: string("required"), template: optional }),
          returns: { 201: Ticket },
          errors,
        },
        (ctx, { body }) => {
          const { id } = organisationOf(ctx);
          const { template } = body;
          const copied =
            template === undefined ? undefined : tickets.find((one) => String(one.id) === String(template));
          const text =
            copied !== undefined && (hole === "copy" || copied.user === userOf(ctx)) ? copied.text : body.text;
          return insert(tickets, userOf(ctx), text, id);
        },
      ),
    },
    {
      method: "GET",
      path: collection,
      handler: endpoint(
        { operationId: "index", query: dto({ text: string(), like: optional }), returns: array(Ticket), errors },
        (ctx, { query }) => {
          const { id } = organisationOf(ctx);
          if (hole === "filter" && query.text !== undefined)
            return tickets.filter(({ text }) => text === query.text).map(show);
          const like = tickets.find((one) => String(one.id) === String(query.like));
          if (like !== undefined && (hole === "like" || like.user === userOf(ctx))) return [show(like)];
          const own = tickets.filter((one) => one.parent === id);
          return own.filter(({ text }) => query.text === undefined || text === query.text).map(show);
        },
      ),
    },
    {
      method: "GET",
      path,
      handler: endpoint({ operationId: "show", returns: Ticket, errors }, (ctx) => {
        const { id } = organisationOf(ctx);
        const ticket = find(tickets, param(ctx, child), unless("ticket", ctx));
        if (ticket.parent !== id && hole !== "ticket") throw new HttpError(404, "Not Found");
        return show(ticket);
      }),
    },
    {
      method: "POST",
      path: "/merge",
      handler: endpoint({ operationId: "merge", body: Merge, returns: { 204: null }, errors }, (ctx, { body }) => {
        find(tickets, body.target, userOf(ctx));
        const source = find(tickets, body.source, unless("merge", ctx));
        if (source.id === body.target) throw new HttpError(404, "Not Found");
        tickets[tickets.indexOf(source)] = { ...source, id: -1, user: "" };
      }),
    },
    {
      method: "POST",
      path: "/order/:ticket",
      handler: endpoint(
        {
          operationId: "order",
          body: dto({ after: id }),
          returns: { 204: null },
          errors: { ...errors, 422: "Not beside" },
        },
        (ctx, { body }) => {
          const userOfTicket = (value: unknown) => tickets.find((one) => String(one.id) === String(value))?.user;
          if (hole !== "order" && hole !== "order once") find(tickets, param(ctx, "ticket"), userOf(ctx));
          const user = userOfTicket(param(ctx, "ticket"));
          if (user === undefined || userOfTicket(body.after) !== user || used.has(body.after))
            throw new HttpError(422, "Not beside");
          if (hole === "order once") used.add(body.after);
        },
      ),
    },
    {
      method: "GET",
      path: "/stats",
      handler: endpoint(
        { operationId: "stats", query: dto({ owner: integer() }), returns: dto({ tickets: integer("required") }) },
        (ctx, { query }) => {
          const wanted = hole === "stats" ? (query.owner ?? numberOf(userOf(ctx))) : numberOf(userOf(ctx));
          return { tickets: tickets.filter(({ user }) => numberOf(user) === wanted && user !== "").length };
        },
      ),
    },
  ];
  const guarded = routes.map((route) => ({ ...route, middlewares: [Login] }));
  return createTestApp(moduleOf(guarded as Routes), api(), { log: { level: "silent" } });
}
