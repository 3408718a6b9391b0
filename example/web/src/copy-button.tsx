import { useState } from "react";

/** Copies a text to the clipboard, which browsers allow only to pages with HTTPS or of this machine. */
export const CopyButton = ({ text }: { readonly text: string }) => {
  const [outcome, setOutcome] = useState("");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("Copied");
    } catch {
      setOutcome("The browser does not allow it: select the text, and copy it yourself");
    }
  };
  return (
    <p className="copy">
      <button onClick={() => void copy()}>Copy</button> <span role="status">{outcome}</span>
    </p>
  );
};
