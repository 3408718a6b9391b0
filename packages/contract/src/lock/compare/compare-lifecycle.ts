import { isDate, type Lifecycle } from "@sallyport/document";
import { isStability, rankStability } from "./lifecycle.ts";

/** The names of changes that anything that can be deprecated has. */
export type LifecycleChange =
  | "deprecated"
  | "reactivated"
  | "sunset-set"
  | "sunset-later"
  | "sunset-earlier"
  | "sunset-removed"
  | "sunset-invalid"
  | "stability-lowered"
  | "stability-raised"
  | "stability-invalid";

type Tell = (change: LifecycleChange, details: { before?: string; after?: string }) => void;

/** Compares what is announced about the future of an operation, a parameter or a property. */
export const compareLifecycle = (was: Lifecycle, is: Lifecycle, tell: Tell): void => {
  compareStability(tell, was.stability, is.stability);
  if (!was.deprecated && is.deprecated)
    tell("deprecated", is.sunset === undefined ? {} : { after: is.sunset });
  if (was.deprecated && !is.deprecated) tell("reactivated", {});
  if (!is.deprecated || was.sunset === is.sunset) return;
  if (is.sunset !== undefined && !isDate(is.sunset))
    return tell("sunset-invalid", { after: is.sunset });
  if (!was.deprecated) return;
  if (was.sunset === undefined) tell("sunset-set", { after: is.sunset ?? "" });
  else if (is.sunset === undefined) tell("sunset-removed", { before: was.sunset });
  else
    tell(is.sunset > was.sunset ? "sunset-later" : "sunset-earlier", {
      before: was.sunset,
      after: is.sunset,
    });
};

const compareStability = (tell: Tell, before = "stable", after = "stable"): void => {
  if (before === after) return;
  if (!isStability(after)) return tell("stability-invalid", { after });
  const step = rankStability(after) - rankStability(before);
  if (step !== 0) tell(step < 0 ? "stability-lowered" : "stability-raised", { before, after });
};
