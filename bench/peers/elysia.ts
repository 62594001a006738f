// Elysia on its Node adapter.
import { node } from "@elysiajs/node";
import { Elysia } from "elysia";
import { elysiaPeer } from "./support/elysia-peer.ts";
import { serve } from "./support/serve.ts";

await serve(elysiaPeer(() => new Elysia({ adapter: node() })));
