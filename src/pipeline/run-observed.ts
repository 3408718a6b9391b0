/**
 * Runs something within a function that surrounds it, whose own failure changes nothing.
 *
 * @param surround calls its argument unless it fails first, and never throws
 */
export const runObserved = <T>(surround: (run: () => void) => void, act: () => T): T => {
  let outcome: (() => T) | undefined;
  surround(() => {
    if (outcome) return;
    try {
      const value = act();
      outcome = () => value;
    } catch (error) {
      outcome = () => {
        throw error;
      };
    }
  });
  // whatever calls this late must not act once more
  outcome ??= act;
  return outcome();
};
