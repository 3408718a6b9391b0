import { useEffect, useRef, useState } from "react";

/** A line of a log: what has happened, and whether it is good, bad or neither. */
export interface LogLine {
  readonly text: string;
  readonly tone?: "bad" | "good";
}

/** Returns the lines of a log, and a function that adds some. */
export const useLog = () => {
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const add = (text: string, tone?: LogLine["tone"]) =>
    setLines((before) => [...before, tone ? { text, tone } : { text }].slice(-50));
  return { lines, add, clear: () => setLines([]) };
};

interface Props {
  readonly label: string;
  readonly lines: readonly LogLine[];
}

/** Shows the lines of a log, the newest at the end. */
export const DemoLog = ({ label, lines }: Props) => {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [lines]);
  return (
    // scrolls, so it must be reachable by keyboard
    <div className="log" ref={box} role="log" aria-label={label} tabIndex={0}>
      <ol>
        {lines.map(({ text, tone }, index) => (
          <li key={index} className={tone}>
            {text}
          </li>
        ))}
      </ol>
    </div>
  );
};
