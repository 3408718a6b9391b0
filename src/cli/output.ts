/** Writes to standard output, and waits until it is flushed. */
export const writeOut = (text: string): Promise<void> => write(process.stdout, text);

/** Writes to standard error, and waits until it is flushed. */
export const writeError = (text: string): Promise<void> => write(process.stderr, text);

const write = (stream: NodeJS.WriteStream, text: string): Promise<void> =>
  new Promise((resolve) => {
    stream.write(text, () => resolve());
  });
