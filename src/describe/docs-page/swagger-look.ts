/** Styles that give Swagger UI enough contrast, light and dark; its class is repeated to outweigh its own styles. */
export const swaggerStyles = `
:root {
  --text: #1f2328; --soft: #4d555e; --page: #fff; --surface: #f5f6f8; --line: #d0d5db;
  --link: #3451b2; --danger: #b3261e; --good: #1d6b3f;
  color-scheme: light;
}
.dark-mode {
  --text: #e3e3dc; --soft: #b4b6bf; --page: #1b1b1f; --surface: #25262c; --line: #44464d;
  --link: #a8b1ff; --danger: #ff9d97; --good: #7fd6a3;
  color-scheme: dark;
}
html .swagger-ui.swagger-ui.swagger-ui * { transition: none; }
body { margin: 0; background: var(--page); }
html .swagger-ui.swagger-ui.swagger-ui { overflow-x: clip; background: var(--page); color: var(--text); }
html .swagger-ui.swagger-ui.swagger-ui :is(p, li, td, th, h1, h2, h3, h4, h5, h6, label, table, section, span, div, small, pre.version, i, strong) {
  color: inherit;
}
html .swagger-ui.swagger-ui.swagger-ui :is(input, select, textarea) {
  border: 1px solid var(--soft); background: var(--page); color: var(--text);
}
html .swagger-ui.swagger-ui.swagger-ui :is(.opblock-tag small, .response-col_links, .parameter__type, .prop-format, .prop-type, .parameter__in, .model-title, .property) { color: var(--soft); }
html .swagger-ui.swagger-ui.swagger-ui :is(a, .info a, .link, .nostyle, .info .base-url, .url, .tablinks, .renderedMarkdown a) { color: var(--link); }
html .swagger-ui.swagger-ui.swagger-ui :is(.opblock-summary-path, .opblock-summary-path *) { color: var(--text); }
html .swagger-ui.swagger-ui.swagger-ui .info .title small { background: #4a5160; color: #fff; }
html .swagger-ui.swagger-ui.swagger-ui .info .title small.version-stamp { background: #4f6f00; color: #fff; }
html .swagger-ui.swagger-ui.swagger-ui .scheme-container { background: var(--surface); box-shadow: none; border-block: 1px solid var(--line); }
html .swagger-ui.swagger-ui.swagger-ui .opblock { background: var(--surface); border-color: var(--line); box-shadow: none; }
html .swagger-ui.swagger-ui.swagger-ui .opblock .opblock-summary { border-color: var(--line); }
html .swagger-ui.swagger-ui.swagger-ui .opblock .opblock-section-header { background: var(--page); box-shadow: none; }
html .swagger-ui.swagger-ui.swagger-ui :is(.opblock-tag, .opblock-description-wrapper, table thead tr :is(td, th)) { border-color: var(--line); }
html .swagger-ui.swagger-ui.swagger-ui .opblock .opblock-summary-method { background: #1c5fb8; color: #fff; text-shadow: none; }
html .swagger-ui.swagger-ui.swagger-ui .opblock-post .opblock-summary-method { background: #1d7a4f; }
html .swagger-ui.swagger-ui.swagger-ui .opblock-put .opblock-summary-method { background: #9a5b00; }
html .swagger-ui.swagger-ui.swagger-ui .opblock-patch .opblock-summary-method { background: #0b7365; }
html .swagger-ui.swagger-ui.swagger-ui .opblock-delete .opblock-summary-method { background: #b62324; }
html .swagger-ui.swagger-ui.swagger-ui .opblock-deprecated { opacity: 1; }
html .swagger-ui.swagger-ui.swagger-ui .opblock-deprecated .opblock-summary-method { background: #6b6b6b; }
html .swagger-ui.swagger-ui.swagger-ui .opblock.opblock .tab-header .tab-item.active h4 span::after { background: var(--link); }
html .swagger-ui.swagger-ui.swagger-ui .btn { border-color: var(--soft); color: var(--text); box-shadow: none; }
html .swagger-ui.swagger-ui.swagger-ui .btn.authorize { border-color: var(--good); color: var(--good); }
html .swagger-ui.swagger-ui.swagger-ui .btn.authorize span { color: inherit; }
html .swagger-ui.swagger-ui.swagger-ui .btn.authorize svg { fill: currentcolor; }
html .swagger-ui.swagger-ui.swagger-ui .btn.cancel { border-color: var(--danger); color: var(--danger); }
html .swagger-ui.swagger-ui.swagger-ui .btn.execute { border-color: #1c5fb8; background: #1c5fb8; color: #fff; }
html .swagger-ui.swagger-ui.swagger-ui :is(.expand-operation, .authorization__btn, .models-control, .model-toggle, .model-box-control, .opblock-control-arrow) svg { fill: var(--text); }
html .swagger-ui.swagger-ui.swagger-ui :is(.parameter__name.required::after, .parameter__name.required span, .star, .parameter__deprecated, .errors-wrapper *) { color: var(--danger); }
html .swagger-ui.swagger-ui.swagger-ui :is(section.models, .model-container, .model-box, .errors-wrapper, .dialog-ux .modal-ux, .responses-inner, .json-schema-2020-12, .json-schema-2020-12-accordion) { background: var(--surface); border-color: var(--line); }
html .swagger-ui.swagger-ui.swagger-ui :is(.json-schema-2020-12, .json-schema-2020-12 *, .model, .model *) { color: var(--text); }
html .swagger-ui.swagger-ui.swagger-ui :is(.json-schema-2020-12__attribute, .json-schema-2020-12-expand-deep-button, .json-schema-2020-12-keyword__name, .json-schema-2020-12-keyword__value) { color: var(--soft); }
html .swagger-ui.swagger-ui.swagger-ui .json-schema-2020-12__constraint { background: #4a5160; color: #fff; }
html .swagger-ui.swagger-ui.swagger-ui :is(.microlight, .highlight-code, .opblock-body pre.microlight) { background: #1f232b; }
html .swagger-ui.swagger-ui.swagger-ui :is(.microlight, .highlight-code) span { color: #e3e3dc !important; }
html .swagger-ui.swagger-ui.swagger-ui :is(.copy-to-clipboard, .download-contents) { background: #4a5160; color: #fff; }
html .swagger-ui.swagger-ui.swagger-ui .opblock-body pre.microlight { color: #e3e3dc; }
html .swagger-ui.swagger-ui.swagger-ui .filter .operation-filter-input { width: 100%; margin: 16px 0; }
html .swagger-ui.swagger-ui.swagger-ui .response-fold { padding: 0; border: 0; background: none; color: var(--link); font: inherit; text-align: start; text-decoration: underline; cursor: pointer; }
html .swagger-ui.swagger-ui.swagger-ui :focus-visible { outline: 2px solid var(--link); outline-offset: 1px; }
`;

/**
 * The script that starts Swagger UI, without the badge of a remote validator. The page is dark if the system is; its
 * filter finds operations by method, path and summary; replies that most operations have are folded; and all controls
 * have names. It waits for the end of each response, so it does not offer to request an event stream.
 */
export const swaggerScript = `
const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();

const isEventStream = (response) => response.hasIn(["content", "text/event-stream"]);
const allowTryItOutFor = (_original, { specSelectors }) => (_state, path, method) =>
  !specSelectors.specJson().getIn(["paths", path, method, "responses"])?.some(isEventStream);

const opsFilter = (groups, phrase) => {
  const wanted = phrase.toLowerCase();
  const has = (...texts) => texts.join(" ").toLowerCase().includes(wanted);
  const isFound = (one) => has(one.get("method"), one.get("path"), one.getIn(["operation", "summary"]) ?? "");
  return groups
    .map((group, tag) => has(tag) ? group : group.update("operations", (all) => all.filter(isFound)))
    .filter((group) => group.get("operations").size > 0);
};

// the codes of errors that more than half of the operations have
const listCommon = (spec) => {
  const all = spec.get("paths")?.toList().flatMap((path) => path.toList()).filter((one) => one?.has?.("responses"));
  const codes = all?.flatMap((one) => one.get("responses").keySeq()).countBy((code) => code);
  return codes?.filter((count, code) => code >= "400" && count > 3 && count > all.size / 2);
};
const foldResponse = (Original, { React, specSelectors }) => (props) => {
  const [isOpen, setOpen] = React.useState(false);
  const isCommon = listCommon(specSelectors.specJson())?.has(String(props.code));
  if (isOpen || !isCommon) return React.createElement(Original, props);
  const text = props.response.get("description") || "Show";
  const open = { className: "response-fold", "aria-expanded": false, onClick: () => setOpen(true) };
  return React.createElement("tr", { className: "response" },
    React.createElement("td", { className: "response-col_status" }, props.code),
    React.createElement("td", { className: "response-col_description", colSpan: 2 },
      React.createElement("button", { ...open, type: "button" }, text)));
};
// the summary is a button, in which no link may be
const writeText = (_Original, { React }) => ({ text }) => React.createElement("span", null, text);

const names = {
  "#servers": "Server",
  ".content-type": "Media type",
  ".examples-select-element": "Example",
  ".body-param__text": "Body",
  ".operation-filter-input": "Filter operations",
  ".json-schema-2020-12-accordion:not(:has(.json-schema-2020-12__title))": "Schema",
};
const nameControls = () => {
  for (const [selector, name] of Object.entries(names))
    for (const control of document.querySelectorAll(selector + ":not([aria-label])")) {
      control.setAttribute("aria-label", name);
      if (control.placeholder) control.placeholder = name;
    }
  for (const control of document.querySelectorAll("td :is(input, select, textarea):not([aria-label], [id])"))
    control.setAttribute("aria-label", control.closest("tr").querySelector("td")?.textContent || "Value");
};
new MutationObserver(nameControls).observe(document.body, { childList: true, subtree: true });

SwaggerUIBundle({
  url: document.body.dataset.document,
  dom_id: "#docs",
  deepLinking: true,
  filter: true,
  validatorUrl: null,
  layout: "BaseLayout",
  plugins: [{
    fn: { opsFilter },
    wrapComponents: { DeepLink: writeText, response: foldResponse },
    statePlugins: { spec: { wrapSelectors: { allowTryItOutFor } } },
  }],
});
`;
