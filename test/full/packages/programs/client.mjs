// A client that returns every part of a response, and keeps cookies if requested.

/** Resolves to the status, the headers and the text; for JSON, also to the body or its `data`. */
export const createClient = (url) => {
  const send = async (path, { body, headers = {}, ...init } = {}) => {
    const isJson = body !== undefined && Object.getPrototypeOf(body) === Object.prototype;
    const response = await fetch(url + path, {
      redirect: "manual",
      signal: AbortSignal.timeout(8000),
      ...init,
      headers: { ...(isJson ? { "content-type": "application/json" } : {}), ...headers },
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : body }),
    });
    const text = await response.text();
    const json = toJson(text);
    const cookie = response.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
    return {
      status: response.status,
      headers: response.headers,
      text,
      json,
      data: json?.data,
      cookie,
    };
  };
  return { url, send, post: (path, body, more) => send(path, { method: "POST", body, ...more }) };
};

const toJson = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
