"use strict";

// Packages that are loaded when they are first needed. This is CommonJS, because only `require` returns at once, and each
// name is literal, because bundlers and tracers follow nothing else.

let createError;

const loadExpress = () => require("express");
exports.loadExpress = loadExpress;

exports.findExpress = () => {
  try {
    require.resolve("express");
  } catch {
    // a bundle has no files to find, but may contain the package
    loadExpress();
  }
};

exports.isExpressLoaded = () => {
  try {
    return require.resolve("express") in require.cache;
  } catch {
    // in a bundle, `findExpress` has loaded it
    return true;
  }
};

exports.loadHttpErrors = () => (createError ??= require("http-errors"));

exports.loadBusboy = () => require("@fastify/busboy").Busboy;

exports.loadYaml = () => require("yaml").stringify;

exports.loadLogsApi = () => {
  try {
    return require("@opentelemetry/api-logs");
    // oxlint-disable-next-line no-useless-catch -- bundlers accept that a package is missing where its error is caught
  } catch (error) {
    throw error;
  }
};

exports.ownFile = typeof __filename === "string" ? __filename : undefined;
