/**
 * Runs something within a function that surrounds it, whose own failure changes nothing.
 *
 * @param surround calls its argument unless it fails first, and never throws
 */
export const runSurrounded = <T>(surround: (run: () => void) => void, act: () => T): T => {
  let outcome: (() => T) | undefined;
  surround(() => {
    try {
      const value = act();
      outcome = () => value;
    } catch (error) {
      outcome = () => {
        throw error;
      };
    }
  });
  return (outcome ?? act)();
};
