import { Component, type ReactNode } from "react";

interface Props {
  readonly children: ReactNode;
}

/** Says that a part of the page could not be loaded, for example because a new version has replaced it. */
export class LoadFailure extends Component<Props, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <p className="error" role="alert">
        This part of the page could not be loaded.{" "}
        <button onClick={() => location.reload()}>Load the page again</button>
      </p>
    );
  }
}
