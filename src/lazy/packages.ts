import type { Busboy } from "@fastify/busboy";
import type * as apiLogs from "@opentelemetry/api-logs";
import type compression from "compression";
import type express from "express";
import type createHttpError from "http-errors";
import type { stringify } from "yaml";
import { ownFile } from "./own-file.ts";

let loader: NodeJS.Require | undefined;

const getLoader = (): NodeJS.Require =>
  (loader ??= process.getBuiltinModule("node:module").createRequire(ownFile));

/** Loads Express, which takes 90 milliseconds, as long as the rest of the startup. */
export const loadExpress = (): typeof express => getLoader()("express") as typeof express;

/** @throws when this optional peer is not installed. */
export const findExpress = (): string => getLoader().resolve("express");

/** Checks whether the program itself has loaded Express, in which case loading it costs nothing. */
export const isExpressLoaded = (): boolean => findExpress() in getLoader().cache;

/** @throws when this optional peer is not installed. */
export const loadCompression = (): typeof compression =>
  getLoader()("compression") as typeof compression;

/** @throws when this optional peer is not installed. */
export const loadLogsApi = (): typeof apiLogs =>
  getLoader()("@opentelemetry/api-logs") as typeof apiLogs;

let createError: typeof createHttpError | undefined;

export const loadHttpErrors = (): typeof createHttpError =>
  (createError ??= getLoader()("http-errors") as typeof createHttpError);

export const loadBusboy = (): typeof Busboy =>
  (getLoader()("@fastify/busboy") as { readonly Busboy: typeof Busboy }).Busboy;

export const loadYaml = (): typeof stringify =>
  (getLoader()("yaml") as { readonly stringify: typeof stringify }).stringify;
