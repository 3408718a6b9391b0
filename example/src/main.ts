// what a person must mend before the shop can start is told without a stack
try {
  await import("./serve.ts");
} catch (error) {
  if (!(error instanceof Error)) throw error;
  // a resource that could not start has its own error as the cause
  const { cause = error } = error;
  if (!(cause instanceof Error && "code" in cause)) throw error;
  // oxlint-disable-next-line no-console -- for the person who starts the shop
  console.error(error.message);
  process.exit(1);
}
