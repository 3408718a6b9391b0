/** Waits for a store, whose client may wait forever for a lost connection; rejects after some milliseconds. */
export const inTime = <T>(answering: Promise<T>, milliseconds: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = new Error(`The store did not answer in ${milliseconds} ms`);
    timer = setTimeout(() => reject(error), milliseconds);
  });
  return Promise.race([answering, late]).finally(() => clearTimeout(timer));
};
