/** Draws a frame around lines. */
const frame = (lines: readonly string[]): string => {
  const width = Math.max(...lines.map(({ length }) => length));
  const bar = "─".repeat(width + 4);
  const rows = lines.map((line) => `│  ${line.padEnd(width)}  │`);
  return [`╭${bar}╮`, ...rows, `╰${bar}╯`].join("\n");
};

/** Returns requests to try, which a person can read in a terminal while the shop is about to open. */
export const toRequests = (url: string): string => `
When the shop is open, try in another terminal:

  curl -s '${url}/v2/books?q=austen&sort=price&limit=1'
  curl -s '${url}/v2/books?limit=0'
  curl -s ${url}/v2/cart
`;

/** Returns what a person reads in a terminal when the shop is open. */
export const toWelcome = (shop: {
  readonly url: string;
  /** Whether there is a page. */
  readonly page: boolean;
  readonly login: string;
}): string => `
${frame([
  `Page            ${shop.page ? shop.url : "not built: cd example/web && npm ci && npm run build"}`,
  `Documentation   ${shop.url}/docs`,
  `Administrator   ${shop.login}`,
])}

Press Ctrl-C to stop.
`;
