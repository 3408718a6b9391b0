/** Settles as a promise does, or rejects after some milliseconds; whatever becomes of the promise then is ignored. */
export const settleWithin = <T>(
  promise: PromiseLike<T>,
  milliseconds: number,
  toError: () => Error,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(toError()), milliseconds);
    const settle = async (): Promise<void> => {
      try {
        resolve(await promise);
      } catch (error) {
        reject(error);
      } finally {
        clearTimeout(timer);
      }
    };
    void settle();
  });
