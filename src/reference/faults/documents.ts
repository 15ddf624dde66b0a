import { documentWith } from "../document-patch.ts";
import type { Answer } from "../model.ts";
import type { Patch } from "../steps.ts";
import type { Fault } from "./fault.ts";

/** Faults of the receiver's own OpenAPI document, and answers that are not as it says. */
export const DOCUMENT_FAULTS: readonly Fault[] = [
  {
    name: "document-without-version",
    title: "Publishes a document that does not say the version of the API",
    rule: "document.valid",
    how: "It is generated, and nobody told the generator.",
    ...documentWith(["info", "version"], undefined),
  },
  {
    name: "document-refers-nowhere",
    title: "Publishes a document that refers to a schema it does not have",
    rule: "document.valid",
    how: "The schema was renamed, and one mention of it was not.",
    ...documentWith(["components", "schemas", "Change"], undefined),
  },
  {
    name: "document-placeholder-url",
    title: "Publishes a document whose token URL is still the placeholder of the contract's",
    rule: "document.valid",
    how: "The security scheme was copied, and its URL never filled in.",
    ...documentWith(
      ["components", "securitySchemes", "accessToken", "flows", "clientCredentials", "tokenUrl"],
      "{auth_url}",
    ),
  },
  {
    name: "document-lacks-edit",
    title: "Publishes a document without the route for edits",
    rule: "document.routes",
    how: "The route came later than the document.",
    ...documentWith(["paths", "/orgs/{orgId}", "patch"], undefined),
  },
  {
    name: "document-scope-of-edits",
    title: "Publishes a document by which org:write submits changes",
    rule: "document.scopes",
    how: "There was one scope for all writes once.",
    ...securedBy("/orgs/{orgId}/changes", "post", [{ accessToken: ["org:write"] }]),
  },
  {
    name: "document-public-list",
    title: "Publishes a document by which the list needs no token",
    rule: "document.scopes",
    how: "The generator takes a route without annotation for a public one.",
    ...securedBy("/orgs", "get", []),
  },
  {
    name: "document-optional-token",
    title: "Publishes a document by which the view takes a token and needs none",
    rule: "document.scopes",
    how: "An empty requirement was left behind from trying the route out.",
    ...securedBy("/orgs/{orgId}", "get", [{ accessToken: ["org:read"] }, {}]),
  },
  {
    name: "document-scopeless",
    title: "Publishes a document by which any token will do",
    rule: "document.scopes",
    how: "A bearer scheme was documented where OAuth 2.0 was meant.",
    ...securedBy("/orgs/{orgId}/changes/{changeId}", "get", [{ accessToken: [] }]),
  },
  {
    name: "document-framework-errors",
    title: "Publishes a document with the framework's error body",
    rule: "document.errors",
    how: "The generator documents what the framework would answer by itself.",
    ...documentWith(["components", "schemas", "Error"], {
      type: "object",
      required: ["statusCode", "error", "message"],
      properties: {
        statusCode: { type: "integer" },
        error: { type: "string" },
        message: { type: "string" },
      },
    }),
  },
  {
    name: "document-errors-optional",
    title: "Publishes a document by which an Error body may lack any of its members",
    rule: "document.errors",
    how: "Generators make a property optional unless it is marked.",
    ...documentWith(["components", "schemas", "Error", "required"], undefined),
  },
  {
    name: "document-error-status-text",
    title: "Publishes a document by which the status in an Error body is a text",
    rule: "document.errors",
    how: "The model was written by hand from memory.",
    ...documentWith(["components", "schemas", "Error", "properties", "status"], { type: "string" }),
  },
  {
    name: "document-errors-bodiless",
    title: "Publishes a document that has errors without a body",
    rule: "document.errors",
    how: "A response needs a description and nothing more to be valid.",
    ...documentWith(["components", "responses", "Error", "content"], undefined),
  },
  {
    name: "document-page-size-20",
    title: "Publishes a document by which a page has 20 items unless asked otherwise",
    rule: "document.pagination",
    how: "It is the framework's own default.",
    ...documentWith(["components", "parameters", "pageSize", "schema", "default"], 20),
  },
  {
    name: "document-page-size-capped",
    title: "Publishes a document by which pageSize has a maximum",
    rule: "document.pagination",
    how: "A cap was agreed on, and never built.",
    ...documentWith(["components", "parameters", "pageSize", "schema", "maximum"], 100),
  },
  {
    name: "document-pages-from-0",
    title: "Publishes a document by which the first page is 0",
    rule: "document.pagination",
    how: "The framework counts from 0.",
    ...documentWith(["components", "parameters", "page", "schema", "minimum"], 0),
  },
  {
    name: "document-page-number",
    title: "Publishes a document by which page is any number",
    rule: "document.pagination",
    how: "The language of the implementation knows no integers.",
    ...documentWith(["components", "parameters", "page", "schema", "type"], "number"),
  },
  {
    name: "answers-undocumented-status",
    title: "Answers a submission with another status than its document says",
    rule: "document.responses",
    how: "The implementation moved on.",
    ...answering("submitChange", (answer) => ({ ...answer, status: 201 })),
  },
  {
    name: "answers-undocumented-null",
    title: "Shows null where its document says that there is a text",
    rule: "document.responses",
    how: "The column may be null, which nobody told the document.",
    step: "shape",
    patch: (original) => (content) =>
      original(
        "data" in content
          ? { data: withoutSource(content.data) }
          : { ...content, items: content.items.map(withoutSource) },
      ),
  },
  {
    name: "answers-undocumented-type",
    title: "Answers with a media type that its document does not have",
    rule: "document.responses",
    how: "Content negotiation prefers the vendor's type.",
    ...answering("viewOrganization", (answer) => ({
      ...answer,
      headers: { ...answer.headers, "content-type": "application/vnd.example.org+json" },
    })),
  },
  {
    name: "errors-undocumented-member",
    title: "Adds a member to errors for which its document leaves no room",
    rule: "document.responses",
    how: "Somebody wanted to find the request in the logs.",
    step: "errorBody",
    patch: (original) => (refusal) => ({ ...(original(refusal) as object), traceId: "4bf92f35" }),
  },
];

function securedBy(
  path: string,
  method: string,
  security: unknown,
): ReturnType<typeof documentWith> {
  return documentWith(["paths", path, method, "security"], security);
}

function answering(
  operation: string,
  change: (answer: Answer) => Answer,
): Patch & { step: "finish" } {
  return {
    step: "finish",
    patch: (original) => (answer, receiver, call) => {
      const good = call?.operation === operation && answer.status < 300;
      return original(good ? change(answer) : answer, receiver, call);
    },
  };
}

/** A change as it is, without what made it; anything else is left alone. */
function withoutSource(thing: unknown): unknown {
  return "source" in (thing as object) ? { ...(thing as object), source: null } : thing;
}
