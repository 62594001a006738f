export { type App, type AppOptions, createApp } from "./app.ts";
export type { CookieOptions } from "./body/cookies.ts";
export type { Form, UploadedFile } from "./body/form.ts";
export { type JsonArray, jsonArray } from "./body/json-array.ts";
export type { StreamedFile } from "./body/streamed-file.ts";
export type { OnStart, OnStop } from "./boot/lifecycle.ts";
export { type ConfigClass, type ConfigSources, defineConfig } from "./config/config.ts";
export { readOrCreateSecret } from "./config/secret-file.ts";
export type { Context, ContextValues, GuardValues, Lease } from "./context.ts";
export type {
  Contract,
  MiddlewareContract,
  SecurityScheme,
} from "./contract.ts";
export { array, nested, record } from "./dto/collections.ts";
export { Dto, dto, type Infer } from "./dto/dto.ts";
export type { Field } from "./dto/field.ts";
export { file } from "./dto/file.ts";
export { type JsonValue, json } from "./dto/json.ts";
export { type JsonSchema, toJsonSchema } from "./dto/json-schema.ts";
export { boolean, date, integer, literal, number, string, timestamp } from "./dto/scalars.ts";
export type { Schema } from "./dto/standard-schema.ts";
export { union } from "./dto/union.ts";
export { endpoint } from "./endpoint.ts";
export { type ErrorFormat, errorFormat } from "./error-format.ts";
export { BindError, HttpError, type Issue, type Problem, StartError } from "./errors.ts";
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
export type { Platform } from "./platform.ts";
export { Reply } from "./reply.ts";
export {
  type Controller,
  type Handler,
  type Method,
  type Middleware,
  type MiddlewareFunction,
  type MiddlewareLike,
  type Next,
  type Route,
  type RouteBuilder,
  type Routes,
  resource,
  route,
} from "./route.ts";
export { Clock } from "./support/clock.ts";
export type { Duration } from "./support/duration.ts";
export type { RouteInfo } from "./table.ts";
