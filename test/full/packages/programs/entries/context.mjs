// Packages that carry data through a request, or change where it is routed.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import cls from "cls-hooked";
import history from "connect-history-api-fallback";
import express from "express";
import httpContext from "express-http-context";
import i18next from "i18next";
import i18nextMiddleware from "i18next-http-middleware";
import vhost from "vhost";

const provesIdOfEach = async ({ send }) => {
  const ids = ["one", "two", "three", "four"];
  const answers = await Promise.all(ids.map((id) => send(`/t?id=${id}`)));
  assert.deepEqual(
    answers.map(({ data }) => data?.id),
    ids,
  );
};

export const entries = [
  {
    name: "express-http-context",
    packages: ["express-http-context"],
    effect: "gives each concurrent request its own store",
    create: () => ({
      layers: () => [
        httpContext.middleware,
        (request, _response, next) => {
          httpContext.set("id", request.query.id);
          next();
        },
      ],
      handler: async () => {
        await sleep(5);
        return { id: httpContext.get("id") };
      },
      prove: provesIdOfEach,
    }),
  },
  {
    name: "cls-hooked",
    packages: ["cls-hooked"],
    effect: "gives each concurrent request its own context",
    create: () => {
      const namespace = cls.createNamespace("requests");
      return {
        layers: () => [
          (request, response, next) => {
            namespace.bindEmitter(request);
            namespace.bindEmitter(response);
            namespace.run(() => {
              namespace.set("id", request.query.id);
              next();
            });
          },
        ],
        handler: async () => {
          await sleep(5);
          return { id: namespace.get("id") };
        },
        prove: provesIdOfEach,
        dispose: () => cls.destroyNamespace("requests"),
      };
    },
  },
  {
    name: "i18next-http-middleware",
    packages: ["i18next-http-middleware", "i18next"],
    effect: "translates into the client's language",
    create: async () => {
      const i18n = i18next.createInstance();
      const resources = {
        en: { translation: { hello: "Hello" } },
        de: { translation: { hello: "Hallo" } },
      };
      await i18n
        .use(i18nextMiddleware.LanguageDetector)
        .init({ fallbackLng: "en", preload: ["en", "de"], resources });
      return {
        layers: () => [i18nextMiddleware.handle(i18n)],
        handler: ({ request }) => ({ said: request.t("hello") }),
        prove: async ({ send }) => {
          const { data, headers } = await send("/t", { headers: { "accept-language": "de" } });
          assert.deepEqual(data, { said: "Hallo" });
          assert.equal(headers.get("content-language"), "de");
          assert.deepEqual((await send("/t")).data, { said: "Hello" });
        },
      };
    },
  },
  {
    name: "connect-history-api-fallback",
    packages: ["connect-history-api-fallback"],
    effect: "sends the index page for paths of a client-side router",
    notIn: {
      factory:
        "A request's route is looked up by its path before a factory's middlewares run; use a hook.",
    },
    create: () => ({
      path: "/index.html",
      layers: () => [history()],
      handler: ({ request }) => ({ url: request.url }),
      prove: async ({ send }) => {
        const { data } = await send("/users/7", { headers: { accept: "text/html" } });
        assert.deepEqual(data, { url: "/index.html" });
        const headers = { accept: "application/json" };
        assert.equal((await send("/users/7", { headers })).status, 404);
      },
    }),
  },
  {
    name: "vhost",
    packages: ["vhost"],
    effect: "serves another application for another host",
    create: () => ({
      layers: () => {
        const other = express();
        other.get("/t", (request, response) => void response.send(`of ${request.vhost.hostname}`));
        return [vhost("localhost", other)];
      },
      handler: () => ({ of: "ours" }),
      prove: async ({ send, url }) => {
        assert.deepEqual((await send("/t")).data, { of: "ours" });
        const other = await fetch(`${url.replace("127.0.0.1", "localhost")}/t`);
        assert.equal(await other.text(), "of localhost");
      },
    }),
  },
];
