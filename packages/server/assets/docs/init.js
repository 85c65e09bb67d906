/*
 * The form sends requests to the page's origin, which may differ from the public one. Swagger UI would fill in every
 * example and default, mixing parameters of both modes, so they move into the descriptions. The token of the last request
 * stays in the tab; Swagger UI's own `persistAuthorization` would leave it in `localStorage`. With `serve --dev`, the
 * page contains a token and a URL to render, as the start page does.
 */
"use strict";
const { token: demoToken, url: demoUrl } = document.getElementById("reference").dataset;

async function showReference() {
  const response = await fetch("v1/openapi.json");
  const spec = await response.json();
  spec.servers = [{ url: new URL("v1", document.baseURI).href }];
  const operations = Object.values(spec.paths).flatMap((path) => Object.values(path));
  for (const operation of operations)
    for (const parameter of operation.parameters ?? []) {
      if (parameter.name === "url" && demoUrl !== undefined) parameter.example = demoUrl;
      if (parameter.required) continue;
      if (parameter.schema.default !== undefined)
        parameter.description += " Default: `" + parameter.schema.default + "`.";
      if (parameter.example !== undefined) parameter.description += " Example: `" + parameter.example + "`.";
      delete parameter.schema.default;
      delete parameter.example;
    }
  if (location.hash === "") history.replaceState(null, "", "#/Rendering/renderPage");
  const ui = SwaggerUIBundle({
    spec,
    dom_id: "#reference",
    validatorUrl: null,
    deepLinking: true,
    tryItOutEnabled: true,
    displayRequestDuration: true,
    onComplete: () => {
      const token = demoToken ?? sessionStorage.getItem("snap-token");
      if (token !== null) ui.preauthorizeApiKey("bearer", token);
    },
    requestInterceptor: (request) => {
      const [, token] = /^Bearer (.+)$/.exec(request.headers?.Authorization ?? "") ?? [];
      if (token !== undefined) sessionStorage.setItem("snap-token", token);
      return request;
    },
  });
}

showReference().catch((error) => {
  document.getElementById("reference").textContent = "Could not load the OpenAPI description: " + error;
});
