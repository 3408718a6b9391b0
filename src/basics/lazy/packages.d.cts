import type { Busboy } from "@fastify/busboy";
import type * as apiLogs from "@opentelemetry/api-logs";
import type express from "express";
import type createHttpError from "http-errors";
import type { stringify } from "yaml";

/** Loads Express, which takes 90 milliseconds, as long as the rest of the startup. */
export declare const loadExpress: () => typeof express;

/**
 * Makes sure that Express can be loaded; only in a bundle, loads it for that.
 * @throws the error of Node.js when it cannot.
 */
export declare const findExpress: () => void;

/** Checks whether the program itself has loaded Express, in which case loading it costs nothing. */
export declare const isExpressLoaded: () => boolean;

export declare const loadHttpErrors: () => typeof createHttpError;

export declare const loadBusboy: () => typeof Busboy;

export declare const loadYaml: () => typeof stringify;

/** @throws when this optional peer is not installed. */
export declare const loadLogsApi: () => typeof apiLogs;

/** The path of a file of this package, or of the bundle that contains it; undefined in a bundle of ES modules. */
export declare const ownFile: string | undefined;
