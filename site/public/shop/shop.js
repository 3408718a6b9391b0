// no server answers here, so nothing can be tried out
window.SwaggerUIBundle({
  url: "openapi.yaml",
  dom_id: "#api",
  supportedSubmitMethods: [],
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
});
