import { findCycle, listImports } from "./source-files.ts";

/** The rooms of a folder, in steps: a room imports only from those of earlier steps. */
export interface Rooms {
  readonly folder: string;
  /** Rooms of one step do not know each other. */
  readonly steps: readonly (readonly string[])[];
}

/** What a package lets others import, and what it may import itself. */
export interface Package {
  readonly name: string;
  readonly entries: readonly string[];
  readonly dependencies: readonly string[];
}

/** Reads the table of rooms: in a row, commas separate steps, and `or` the rooms of a step. */
export const readRooms = (markdown: string): readonly Rooms[] =>
  [...markdown.matchAll(/^\| `(packages\/[\w/-]+\/src(?:\/[\w/-]+)?)` +\| ([^|]+) \|$/gm)].map(
    ([, folder = "", rooms = ""]) => ({
      folder,
      steps: rooms
        .split(",")
        .map((step) => [...step.matchAll(/`([^`]+?)\/?`/g)].map(([, room = ""]) => room)),
    }),
  );

/** Lists what breaks the rules for packages: their rooms, and what they import. */
export const findFaults = (
  sources: ReadonlyMap<string, string>,
  rooms: readonly Rooms[],
  packages: readonly Package[],
): readonly string[] => {
  const toImports = (file: string): readonly string[] =>
    listImports(file, sources.get(file) ?? "").filter((target) => sources.has(target));
  const cycle = findCycle(sources.keys(), toImports);
  return [
    ...rooms.flatMap((one) => checkRooms(one, [...sources.keys()], toImports)),
    ...[...sources].flatMap(([file, code]) => checkImports(file, code, packages)),
    ...(cycle ? [`${cycle.join(" -> ")} is a circle`] : []),
  ];
};

const checkRooms = (
  { folder, steps }: Rooms,
  files: readonly string[],
  toImports: (file: string) => readonly string[],
): readonly string[] => {
  const own = files.filter((file) => file.startsWith(`${folder}/`));
  const toRoom = (file: string): string => file.slice(folder.length + 1).split("/")[0] ?? "";
  const toStep = (file: string): number => steps.findIndex((step) => step.includes(toRoom(file)));
  const missing = steps.flat().filter((room) => !own.some((file) => toRoom(file) === room));
  return [
    ...missing.map((room) => `${folder}/${room} does not exist`),
    ...own.filter((file) => toStep(file) < 0).map((file) => `${file} is in no room`),
    ...own.flatMap((file) =>
      toImports(file)
        .filter((target) => target.startsWith(`${folder}/`) && toRoom(target) !== toRoom(file))
        .filter((target) => toStep(target) >= toStep(file))
        .map((target) => `${file} -> ${target} leads to a room that is not before it`),
    ),
  ];
};

/** Imports of packages; code that a package writes is in strings. */
const packageImport =
  /^(?:import|export)\b[^;"`]*?from "([^".][^"]*)"|\bimport\("([^".][^"]*)"\)/gm;

const checkImports = (
  file: string,
  code: string,
  packages: readonly Package[],
): readonly string[] => {
  const source = /^packages\/[^/]+\/src\//.exec(file)?.[0] ?? "";
  const own = packages.find(({ name }) => source === `packages/${name.replace(/^.*\//, "")}/src/`);
  const outside = listImports(file, code).filter((target) => !target.startsWith(source));
  const named = [...code.matchAll(packageImport)].map(([, one, other]) => one ?? other ?? "");
  return [
    ...outside.map((target) => `${file} -> ${target} leads out of the package`),
    ...named.flatMap((target) => {
      const name = /^(?:@[^/]+\/)?[^/]+/.exec(target)?.[0] ?? "";
      if (name.startsWith("node:")) return [];
      if (!own?.dependencies.includes(name)) return [`${file} -> ${target} is no dependency`];
      const entries = packages.find((one) => one.name === name)?.entries;
      return entries && !entries.includes(target) ? [`${file} -> ${target} is not public`] : [];
    }),
  ];
};
