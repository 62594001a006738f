export { type App, type AppOptions, createApp } from "./app.ts";
export type { Context, MatchedRoute, ReplyHook, RequestContext } from "./context/context.ts";
export type { CookieOptions } from "./context/cookies.ts";
export { explainForeignOrigin } from "./context/foreign-origin.ts";
export type { Form, UploadedFile } from "./context/form.ts";
export type { Progress } from "./context/progress.ts";
export type { RequestView } from "./context/request.ts";
export type { HeaderValue, ResponseHeaders } from "./context/response-headers.ts";
export type { ContextValues, ParamNames } from "./context/values.ts";
export { inject } from "./di/inject.ts";
export { type AbstractClass, type Class, type Key, type Provider, provide, type Token, token } from "./di/token.ts";
export { array, boolean, Dto, dto, type Field, type Infer, integer, nested, number, string } from "./dto/dto.ts";
export type { Schema, StandardSchema } from "./dto/standard-schema.ts";
export {
  BindError,
  HttpError,
  type HttpErrorOptions,
  type Issue,
  type Problem,
  type StartCode,
  StartError,
} from "./errors.ts";
export type { Address, HttpMethods, ListenOptions } from "./http/door.ts";
export type { HttpLimits } from "./http/settings.ts";
export { Log, type LogDestination, type LogOptions } from "./log.ts";
export type { OnStart, OnStop } from "./module/lifecycle.ts";
export { type Declaration, defineModule, type Module, type ModuleOptions } from "./module/module.ts";
export { type JsonArray, jsonArray } from "./pipeline/json-array.ts";
export type { Middleware, MiddlewareFunction, MiddlewareLike, Next } from "./pipeline/middleware.ts";
export type { Outgoing, OutgoingBody } from "./pipeline/outgoing.ts";
export { Reply, type StatusReply } from "./pipeline/reply.ts";
export { type ApiOptions, api } from "./platform/api.ts";
export type { Platform } from "./platform/platform.ts";
export {
  type Controller,
  type Handler,
  type Method,
  type ResourceHandlers,
  type Route,
  type Routes,
  resource,
} from "./route/record.ts";
export type { RouteInfo, RouteTable } from "./route/table.ts";
export { takes } from "./route/takes.ts";
