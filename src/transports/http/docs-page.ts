/** /docs: the OpenAPI document for people. Rendered on the server; the script only runs the forms. */
import { html, raw } from "hono/html";
import { htmlPage } from "./html-page.ts";
import type { OpenApiDocument } from "./openapi.ts";

type Schema = Record<string, unknown> & {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  additionalProperties?: Schema | boolean;
};
type Content = Record<string, { schema?: Schema; example?: unknown }>;

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema?: Schema;
  description?: string;
}

interface Described {
  operationId: string;
  summary: string;
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; content?: Content }>;
}

interface Entry extends Described {
  method: string;
  path: string;
}

type Html = ReturnType<typeof html>;
type Errors = Readonly<Record<string, { message: string; hint: string }>>;

export function docsPage(document: OpenApiDocument, errors: Errors) {
  const entries: Entry[] = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Described>).map(([method, one]) => ({ ...one, method, path })),
  );
  const groups = (document.tags ?? []).map(({ name }) => name);
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;
  return htmlPage({
    title: "Trawl API",
    head: html`<style>${raw(STYLE)}</style><script src="/docs.js" defer></script>`,
    body: html`<main>
      <h1>Trawl API <span class="dim">${document.info.version}</span></h1>
      ${paragraphs(document.info.description ?? "").map((text) => html`<p>${inline(text)}</p>`)}
      <p><a href="/openapi.json">openapi.json</a> · <a href="/metrics">metrics</a> · <a href="/">web app</a></p>
      <nav>
        ${[...groups, "Schemas", "Errors"].map((name) => html`<a href="#${anchor(name)}">${name}</a> `)}
      </nav>
      ${groups.map(
        (group) => html`<h2 id="${anchor(group)}">${group}</h2>
          ${entries.filter(({ tags }) => tags.includes(group)).map(operation)}`,
      )}
      <h2 id="schemas">Schemas</h2>
      ${Object.entries(schemas).map(
        ([name, schema]) => html`<details id="schema-${name}"><summary><code>${name}</code></summary>
          <pre>${outline(schema)}</pre></details>`,
      )}
      <h2 id="errors">Errors</h2>
      <dl>${Object.entries(errors).map(
        ([code, { message, hint }]) => html`<dt id="${code}"><code>${code}</code></dt><dd>${message} ${hint}</dd>`,
      )}</dl>
    </main>`,
  });
}

const anchor = (name: string): string => name.toLowerCase().replaceAll(" ", "-");
/** The codes have a separate section. */
const paragraphs = (text: string): string[] =>
  text.split("\n\n").filter((paragraph) => !paragraph.startsWith("Codes:"));

/** Text between backticks is code. */
const inline = (text: string): Html[] =>
  text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));

function operation(entry: Entry): Html {
  const { method, path, operationId, summary, parameters = [], requestBody, responses } = entry;
  const answered = Object.entries(responses["200"]?.content ?? {});
  return html`<details id="${operationId}">
    <summary><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code><br />
      <span class="dim">${summary}</span></summary>
    ${parameters.length === 0 ? "" : parameterTable(parameters)}
    ${Object.entries(requestBody?.content ?? {}).map(
      ([type, { schema }]) => html`<h4>Body <span class="dim">${type}</span></h4><pre>${outline(schema ?? {})}</pre>`,
    )}
    ${answered.map(
      ([type, { schema }]) => html`<h4>Answer <span class="dim">${type}</span></h4><pre>${outline(schema ?? {})}</pre>`,
    )}
    <h4>Try it</h4>
    <pre>${curl(entry)}</pre>
    ${method === "get" && answered[0]?.[0] === "application/json" ? form(path, parameters) : ""}
  </details>`;
}

const parameterTable = (parameters: Parameter[]): Html =>
  html`<dl>${parameters.map(
    ({ name, in: place, required, schema, description }) =>
      html`<dt><code>${name}</code> <span class="dim">${typeName(schema ?? {})}, in the ${place}${
        required ? ", required" : ""
      }${schema?.["default"] == null ? "" : `, default ${JSON.stringify(schema["default"])}`}</span></dt>
        <dd>${description ?? (schema?.["description"] as string | undefined) ?? ""}</dd>`,
  )}</dl>`;

const form = (path: string, parameters: Parameter[]): Html =>
  html`<form data-path="${path}">
    ${parameters
      .filter((parameter) => parameter.in !== "header")
      .map(
        ({ name, in: place, required, schema }) => html`<label><span>${name}</span>
          <input name="${name}" data-in="${place}" ${required ? raw("required") : ""}
            placeholder="${[schema?.["default"] ?? ""].flat().join(",")}" /></label>`,
      )}
    <button>Send</button>
    <output></output>
  </form>`;

/** Double quotes inside single quotes, which a shell passes on unchanged. */
function curl({ method, path, parameters = [], requestBody }: Entry): string {
  const needed = parameters.filter((parameter) => parameter.in === "query" && parameter.required);
  const query = needed.map(({ name }) => `${name}=${name === "url" ? "https%3A%2F%2Fexample.com%2F" : "…"}`).join("&");
  const address = `http://127.0.0.1:8080${path.replace(/\{(\w+)\}/g, (_, name: string) => (name === "url" ? "https%3A%2F%2Fexample.com%2F" : "1"))}`;
  const verb = method === "get" ? "" : ` -X ${method.toUpperCase()}`;
  const example = requestBody?.content["application/json"]?.example;
  const body =
    example === undefined ? "" : ` -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(example)}'`;
  return `curl${verb} '${address}${query === "" ? "" : `?${query}`}'${body}`;
}

/** A schema in a few lines, as TypeScript would write it. */
function outline(schema: Schema, indent = ""): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1)!;
  if (schema.items !== undefined) return `${outline(schema.items, indent)}[]`;
  if (schema.properties === undefined) return typeName(schema);
  const lines = Object.entries(schema.properties).map(([name, property]) => {
    const note = property["description"] === undefined ? "" : `  // ${property["description"]}`;
    const mark = schema.required?.includes(name) ? "" : "?";
    return `${indent}  ${name}${mark}: ${outline(property, `${indent}  `)}${note}`;
  });
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function typeName(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1)!;
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeName).join(" | ");
  if (schema.items !== undefined) return `${typeName(schema.items)}[]`;
  if (typeof schema.additionalProperties === "object") return `{ [name]: ${typeName(schema.additionalProperties)} }`;
  return schema.type === undefined ? "anything" : [schema.type].flat().join(" | ");
}

const STYLE = `
nav { display: flex; flex-wrap: wrap; gap: .25rem .9rem; }
details { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .5rem .75rem;
  margin: .4rem 0; scroll-margin-top: 1rem; }
summary { cursor: pointer; } h4 { margin: 1rem 0 .3rem; }
.method { font: 600 12px ui-monospace, monospace; display: inline-block; min-width: 4.2em; }
.delete { color: light-dark(#b3261e, #ff8a80); } .post, .put { color: light-dark(#7a5200, #f0c060); }
.get { color: var(--accent); }
dt { margin-top: .5rem; } dd { margin: 0 0 0 1rem; color: var(--dim); }
form { display: grid; gap: .4rem; }
label { display: grid; grid-template-columns: minmax(5rem, 9rem) 1fr; gap: .5rem; align-items: center; }
input, button { font: inherit; min-width: 0; padding: .35rem .5rem; border: 1px solid var(--line); border-radius: 6px;
  background: var(--page); color: inherit; }
button { justify-self: start; cursor: pointer; } output { white-space: pre-wrap; font: 13px ui-monospace, monospace; }
`;

/** Answers are shown as text, never as HTML: they contain titles and addresses of untrusted pages. */
export const docsScript = `"use strict";
const SHOWN = 20000;
for (const form of document.forms) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    let path = form.dataset.path;
    const query = new URLSearchParams();
    for (const input of form.querySelectorAll("input")) {
      if (input.dataset.in === "path") path = path.replace("{" + input.name + "}", encodeURIComponent(input.value));
      else if (input.value !== "") query.append(input.name, input.value);
    }
    const output = form.querySelector("output");
    output.textContent = "…";
    try {
      const response = await fetch(path + (query.size > 0 ? "?" + query : ""));
      const text = JSON.stringify(await response.json(), null, 2);
      output.textContent = response.status + "\\n" + text.slice(0, SHOWN) + (text.length > SHOWN ? "\\n…" : "");
    } catch (error) {
      output.textContent = String(error);
    }
  });
}
const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
};
addEventListener("hashchange", open);
open();
`;
