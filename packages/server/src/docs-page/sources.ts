/** Sources of the two pages. URLs are relative, so they also work under a prefix. */

export const START_HTML = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/start.css">
<title>snap</title>
<main>
<h1>snap</h1>
<p>Renders web pages to PNG, JPEG, WebP and PDF.</p>
<ul>
<li><a href="docs">API reference, with a form to try each request</a></li>
<li><a href="v1/openapi.json">OpenAPI description</a></li>
<li><a href="v1/postman.json">Postman collection</a></li>
</ul>
<p>AI assistants connect to <code>/mcp</code> over the Model Context Protocol.</p>
</main>
</html>
`;

export const START_STYLE = `:root { color-scheme: light dark; }
body { margin: 0; font: 1.125rem/1.6 system-ui, sans-serif; }
main { max-width: 36rem; margin: 18vh auto 0; padding: 0 1.5rem; }
h1 { font-size: 3rem; line-height: 1; margin: 0; letter-spacing: -0.03em; }
ul { padding-left: 1.25rem; }
`;

export const DOCS_HTML = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<title>snap: API reference</title>
<div id="reference"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/init.js"></script>
</html>
`;

/**
 * The form sends requests to the page's origin, which may differ from the public one. Swagger UI would fill in every
 * example and default, mixing parameters of both modes, so they move into the descriptions.
 */
export const DOCS_SCRIPT = `"use strict";
fetch("v1/openapi.json")
  .then((response) => response.json())
  .then((spec) => {
    spec.servers = [{ url: new URL("v1", document.baseURI).href }];
    const operations = Object.values(spec.paths).flatMap((path) => Object.values(path));
    for (const operation of operations) for (const parameter of operation.parameters ?? []) {
      if (parameter.required) continue;
      if (parameter.schema.default !== undefined)
        parameter.description += " Default: \`" + parameter.schema.default + "\`.";
      if (parameter.example !== undefined)
        parameter.description += " Example: \`" + parameter.example + "\`.";
      delete parameter.schema.default;
      delete parameter.example;
    }
    SwaggerUIBundle({ spec, dom_id: "#reference", validatorUrl: null, deepLinking: true });
  })
  .catch((error) => {
    document.getElementById("reference").textContent = "Could not load the OpenAPI description: " + error;
  });
`;
