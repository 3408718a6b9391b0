import { createEpoch } from "./position.ts";
import type { ChannelStore } from "./store.ts";

/** The store of a channel with a single process: the log itself. */
export const memoryChannel: ChannelStore = {
  "~connect": (log) => {
    const epoch = createEpoch();
    let count = 0;
    log.reset({ epoch, time: 0, count });
    log.isCurrent = true;
    return {
      publish: async (event) => {
        const position = { epoch, time: 0, count: ++count };
        log.add(event, position);
        return position;
      },
    };
  },
};
