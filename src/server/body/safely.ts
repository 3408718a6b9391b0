/** Makes a listener pass on what it throws, because an error that is thrown in an event ends the process. */
export const safely =
  <Args extends readonly unknown[]>(
    fail: (error: unknown) => void,
    listener: (...args: Args) => void,
  ): ((...args: Args) => void) =>
  (...args) => {
    try {
      listener(...args);
    } catch (error) {
      fail(error);
    }
  };
