/** Waits for a store, whose client may wait forever for a lost connection; rejects after some milliseconds. */
export const awaitStore = <T>(answering: Promise<T>, milliseconds: number): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`The store did not answer in ${milliseconds} ms`));
    }, milliseconds);
    const settle = async (): Promise<void> => {
      try {
        resolve(await answering);
      } catch (error) {
        reject(error);
      } finally {
        clearTimeout(timer);
      }
    };
    void settle();
  });
