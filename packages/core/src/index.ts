export { type App, type AppOptions, createApp } from "./app/app.ts";
export type { OnStart, OnStop } from "./app/lifecycle.ts";
export type { Platform } from "./app/platform.ts";
export type { CookieOptions } from "./body/cookies.ts";
export type { Form, UploadedFile } from "./body/form.ts";
export { type JsonArray, jsonArray } from "./body/json-array.ts";
export type { StreamedFile } from "./body/streamed-file.ts";
export { type ConfigClass, type ConfigSources, defineConfig } from "./config/config.ts";
export { readOrCreateSecret } from "./config/secret-file.ts";
export { type ApiOptions, api } from "./http/api.ts";
export { explainForeignOrigin, isSameOrigin } from "./http/foreign-origin.ts";
export type { HttpApp, ListenOptions } from "./http/http-app.ts";
export type { HttpLimits } from "./http/settings.ts";
export { inject } from "./inject/inject.ts";
export { defineModule, type Module, type ModuleOptions } from "./inject/module.ts";
export { type Class, type Provider, provide, type Token, token } from "./inject/token.ts";
export { Log, type LogOptions } from "./log/log.ts";
export type { LogDestination } from "./log/log-writer.ts";
export type { OpenApiDocument } from "./openapi/document.ts";
export type { Context, ContextValues, GuardValues } from "./request/context.ts";
export type { Lease } from "./request/context-state.ts";
export type {
  Contract,
  MiddlewareContract,
  SecurityScheme,
} from "./request/contract.ts";
export { endpoint } from "./request/endpoint.ts";
export { type ErrorFormat, errorFormat } from "./request/error-format.ts";
export type { Handler, Method, Middleware, MiddlewareFunction, MiddlewareLike, Next } from "./request/handler.ts";
export { Reply } from "./request/reply.ts";
export { type Controller, type Route, type RouteBuilder, type Routes, resource, route } from "./route/route.ts";
export type { RouteInfo } from "./route/table.ts";
export { parse } from "./schema/bind.ts";
export { array, nested, record } from "./schema/collections.ts";
export { Dto, dto, type Infer } from "./schema/dto.ts";
export type { Field } from "./schema/field.ts";
export { file } from "./schema/file.ts";
export { type JsonValue, json } from "./schema/json.ts";
export { type JsonSchema, toJsonSchema } from "./schema/json-schema.ts";
export { boolean, date, integer, literal, number, string, timestamp } from "./schema/scalars.ts";
export type { Schema } from "./schema/standard-schema.ts";
export { union } from "./schema/union.ts";
export { Clock } from "./support/clock.ts";
export type { Duration } from "./support/duration.ts";
export { BindError, HttpError, type Issue, type Problem, StartError } from "./support/errors.ts";
