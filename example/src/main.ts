// what a person must mend before the shop can start is told without a stack
try {
  await import("./serve.ts");
} catch (error) {
  if (!(error instanceof Error && "code" in error && error.message !== "")) throw error;
  // oxlint-disable-next-line no-console -- for the person who starts the shop
  console.error(error.message);
  process.exit(1);
}
