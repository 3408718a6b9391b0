// A client that returns every part of a response, with its cookies ready to be sent back.

/** Creates a client for a server; if a body is JSON, `json` is its value, and `data` the data in the envelope. */
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
