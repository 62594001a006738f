export { type App, type AppOptions, createApp } from "./app.ts";
export type { CookieOptions } from "./body/cookies.ts";
export type { Form, UploadedFile } from "./body/form.ts";
export { type JsonArray, jsonArray } from "./body/json-array.ts";
export { inject } from "./boot/inject.ts";
export type { OnStart, OnStop } from "./boot/lifecycle.ts";
export { type Declaration, defineModule, type Module, type ModuleOptions } from "./boot/module.ts";
export { type ConfigClass, type ConfigOptions, type ConfigSources, defineConfig } from "./config.ts";
export type { Context, ContextValues, Lease, ReplyHook, RequestContext } from "./context.ts";
export type { Progress } from "./context-tools.ts";
export {
  Body,
  Content,
  type Contract,
  content,
  type ErrorsByStatus,
  form,
  type LiveContract,
  type MiddlewareContract,
  optional,
  type ReturnsByStatus,
  type SecurityScheme,
} from "./contract.ts";
export type { ContractMismatch } from "./contract-check.ts";
export { array, nested, record } from "./dto/collections.ts";
export { Dto, dto, type Infer } from "./dto/dto.ts";
export type { Field } from "./dto/field.ts";
export { file } from "./dto/file.ts";
export { type JsonValue, json } from "./dto/json.ts";
export { type JsonSchema, toJsonSchema } from "./dto/json-schema.ts";
export { partial } from "./dto/partial.ts";
export type { Returned } from "./dto/returned.ts";
export { boolean, date, integer, literal, number, string, timestamp } from "./dto/scalars.ts";
export type { Schema, StandardSchema } from "./dto/standard-schema.ts";
export { union } from "./dto/union.ts";
export { endpoint } from "./endpoint.ts";
export type { ErrorFormat } from "./error-format.ts";
export {
  BindError,
  HttpError,
  type HttpErrorOptions,
  type InputPart,
  type Issue,
  type Problem,
  type StartCode,
  StartError,
} from "./errors.ts";
export type { HeaderValue, ResponseHeaders } from "./headers.ts";
export { type ApiOptions, api } from "./http/api.ts";
export type { DocsOptions } from "./http/docs.ts";
export { type ErrorFormatName, errorFormat } from "./http/error-formats.ts";
export { explainForeignOrigin, isSameOrigin } from "./http/foreign-origin.ts";
export type { Address, HttpMethods, ListenOptions } from "./http/http-methods.ts";
export type { UpgradeHandler } from "./http/message.ts";
export type { HttpLimits } from "./http/settings.ts";
export { Log, type LogOptions } from "./log/log.ts";
export type { LogDestination } from "./log/log-writer.ts";
export type { MatchedRoute, ParamNames } from "./matched-route.ts";
export type { OpenApiDocument, OpenApiInfo } from "./openapi/document.ts";
export type { Platform } from "./platform.ts";
export {
  type Controller,
  type Group,
  group,
  type Handler,
  type Method,
  type Middleware,
  type MiddlewareFunction,
  type MiddlewareLike,
  type Next,
  type ResourceHandlers,
  type Route,
  type Routes,
  resource,
  routes,
} from "./record.ts";
export { type Outgoing, type OutgoingBody, Reply, type StatusReply } from "./reply.ts";
export type { RequestView } from "./request.ts";
export { readOrCreateSecret } from "./secret-file.ts";
export type { RouteInfo, RouteTable } from "./table.ts";
export { type AbstractClass, type Class, type Key, type Provider, provide, type Token, token } from "./token.ts";
