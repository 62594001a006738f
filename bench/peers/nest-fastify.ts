// NestJS on Fastify. peers/nest is compiled first, because decorators need it: see src/prepare.ts.
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter } from "@nestjs/platform-fastify";
import { createScenarios } from "../build/nest/scenarios.js";
import * as data from "./support/data.ts";
import { serve } from "./support/serve.ts";

await serve(createScenarios((module) => NestFactory.create(module, new FastifyAdapter(), { logger: ["error"] }), data));
