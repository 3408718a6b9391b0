import { onlineManager } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";

/** How long to wait between two attempts to reach the shop, in milliseconds. */
const interval = 2000;

const canReach = (): Promise<boolean> =>
  fetch("/v2/categories", { cache: "no-store", signal: AbortSignal.timeout(5000) }).then(
    ({ ok }) => ok,
    () => false,
  );

const isOnline = (): boolean => onlineManager.isOnline();

/** Says that the shop cannot be reached, and tries until it can; then, what is displayed is fetched again. */
export const ConnectionBanner = () => {
  const online = useSyncExternalStore((onChange) => onlineManager.subscribe(onChange), isOnline);
  useEffect(() => {
    if (online) return undefined;
    const timer = setInterval(() => {
      void canReach().then((isBack) => isBack && onlineManager.setOnline(true));
    }, interval);
    return () => clearInterval(timer);
  }, [online]);
  return (
    <p className="banner" role="alert">
      {!online &&
        "The shop cannot be reached just now. What you see may be out of date; the page keeps trying."}
    </p>
  );
};
