import { Resvg } from "@resvg/resvg-js";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import satori from "satori";

const fonts = dirname(createRequire(import.meta.url).resolve("@fontsource/inter/package.json"));
const readFont = (weight: 400 | 700) => ({
  name: "Inter",
  weight,
  style: "normal" as const,
  data: readFileSync(join(fonts, `files/inter-latin-${weight}-normal.woff`)),
});
const icon = readFileSync(fileURLToPath(new URL("../public/icon.svg", import.meta.url)), "utf8");
const iconUrl = `data:image/svg+xml;base64,${Buffer.from(icon).toString("base64")}`;

/** The size of the cards in pixels, which is what the networks that show them ask for. */
export const cardSize = { width: 1200, height: 630 };

const box = (style: object, children: unknown) => ({ type: "div", props: { style, children } });
const image = (src: string, size: number) => ({
  type: "img",
  props: { src, width: size, height: size },
});

/** Draws an SVG at a width in pixels. */
const toPng = (svg: string, width: number): Buffer =>
  new Resvg(svg, { fitTo: { mode: "width", value: width } }).render().asPng();

/** Writes the image that a link to a page is shown with: its title, and what it has. */
export const writeCard = async (file: string, title: string, content: string): Promise<void> => {
  const head = box({ display: "flex", alignItems: "center", gap: 20, fontSize: 36 }, [
    image(iconUrl, 56),
    "sallyport",
  ]);
  const text = box({ display: "flex", flexDirection: "column", gap: 24 }, [
    box({ fontSize: 76, fontWeight: 700, lineHeight: 1.1 }, title),
    box({ fontSize: 36, lineHeight: 1.4, color: "#c5cdea" }, content),
  ]);
  const frame = {
    ...{ display: "flex", flexDirection: "column", justifyContent: "space-between" },
    ...{
      width: "100%",
      height: "100%",
      padding: 72,
      boxSizing: "border-box",
      background: "#1b2a66",
      color: "#fff",
    },
  };
  const card = box(frame, [head, text]);
  const svg = await satori(card, { ...cardSize, fonts: [readFont(400), readFont(700)] });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, toPng(svg, cardSize.width));
};

/** Writes the icon that phones show on their home screen. */
export const writeTouchIcon = (file: string): void => writeFileSync(file, toPng(icon, 180));
