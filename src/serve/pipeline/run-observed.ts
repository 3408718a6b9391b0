/**
 * Runs something within a function whose own failure changes nothing.
 *
 * @param enter calls its argument unless it fails first, and never throws
 */
export const runObserved = <T>(enter: (run: () => void) => void, act: () => T): T => {
  let outcome: (() => T) | undefined;
  enter(() => {
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
