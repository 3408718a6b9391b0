import { execFileSync, spawnSync } from "node:child_process";

/** Whether `openssl` can create certificates; it is optional on Windows, and required elsewhere. */
export const hasCertificates =
  process.platform !== "win32" || spawnSync("openssl", ["version"]).status === 0;

/** Creates a self-signed certificate for localhost. */
export const createCertificate = (): { readonly key: string; readonly cert: string } => {
  const pem = execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-keyout", "-", "-out", "-", "-subj", "/CN=localhost", "-days", "1"],
    ],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  const [key = "", cert = ""] = pem.toString().split(/(?=-----BEGIN CERTIFICATE)/);
  return { key, cert };
};
