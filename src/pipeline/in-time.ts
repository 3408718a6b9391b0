/** Asks a store, whose client may throw or wait forever for a lost connection; rejects after some milliseconds. */
export const inTime = <T>(ask: () => Promise<T>, milliseconds: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = new Error(`The store did not answer in ${milliseconds} ms`);
    timer = setTimeout(() => reject(error), milliseconds);
  });
  return Promise.race([(async () => ask())(), late]).finally(() => clearTimeout(timer));
};
