import { documentWith } from "../patches.ts";
import { errorBody, finished } from "./answering.ts";
import { type Faults, ownedBy } from "./fault.ts";

/** Faults of the receiver's own OpenAPI document, and answers that do not match it. */
export const DOCUMENT_FAULTS: Faults = ownedBy("document.valid", {
  "document-without-version": {
    title: "Publishes a document without the version of the API",
    how: "The document is generated, and the generator was not given the version.",
    ...documentWith(["info", "version"], undefined),
  },
  "document-refers-nowhere": {
    title: "Publishes a document that refers to a schema it does not have",
    how: "The schema was renamed, and one reference to it was not.",
    ...documentWith(["components", "schemas", "Change"], undefined),
  },
  "document-placeholder-url": {
    title: "Publishes a document whose token URL is still the contract's placeholder",
    how: "The security scheme was copied, and its URL was never filled in.",
    ...documentWith(
      ["components", "securitySchemes", "accessToken", "flows", "clientCredentials", "tokenUrl"],
      "{auth_url}",
    ),
  },
  "document-lacks-edit": {
    title: "Publishes a document without the route for edits",
    rule: "document.routes",
    how: "The route was added after the document was written.",
    ...documentWith(["paths", "/orgs/{orgId}", "patch"], undefined),
  },
  ...ownedBy("document.scopes", {
    "document-scope-of-edits": {
      title: "Publishes a document in which org:write is the scope of submissions",
      how: "There used to be one scope for all writes.",
      ...documentWith(
        ["paths", "/orgs/{orgId}/changes", "post", "security"],
        [{ accessToken: ["org:write"] }],
      ),
    },
    "document-public-list": {
      title: "Publishes a document in which the list needs no token",
      how: "The generator treats a route without annotation as public.",
      ...documentWith(["paths", "/orgs", "get", "security"], []),
    },
    "document-optional-token": {
      title: "Publishes a document in which a token is optional for the view",
      how: "An empty security requirement was left over from a test of the route.",
      ...documentWith(
        ["paths", "/orgs/{orgId}", "get", "security"],
        [{ accessToken: ["org:read"] }, {}],
      ),
    },
    "document-scopeless": {
      title: "Publishes a document in which any token is enough",
      how: "The document declares a bearer scheme instead of OAuth 2.0.",
      ...documentWith(
        ["paths", "/orgs/{orgId}/changes/{changeId}", "get", "security"],
        [{ accessToken: [] }],
      ),
    },
  }),
  ...ownedBy("document.errors", {
    "document-framework-errors": {
      title: "Publishes a document with the framework's error body",
      how: "The generator documents the framework's default error body.",
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
    "document-errors-optional": {
      title: "Publishes a document in which every member of an Error body is optional",
      how: "Generators make a property optional unless it is marked.",
      ...documentWith(["components", "schemas", "Error", "required"], undefined),
    },
    "document-error-status-text": {
      title: "Publishes a document in which the status in an Error body is a string",
      how: "The model was written by hand from memory.",
      ...documentWith(["components", "schemas", "Error", "properties", "status"], {
        type: "string",
      }),
    },
    "document-errors-bodiless": {
      title: "Publishes a document in which errors have no body",
      how: "A response needs only a description to be valid.",
      ...documentWith(["components", "responses", "Error", "content"], undefined),
    },
  }),
  ...ownedBy("document.pagination", {
    "document-page-size-20": {
      title: "Publishes a document in which the default pageSize is 20",
      how: "This is the framework's own default.",
      ...documentWith(["components", "parameters", "pageSize", "schema", "default"], 20),
    },
    "document-page-size-capped": {
      title: "Publishes a document in which pageSize has a maximum",
      how: "A limit was agreed on and never implemented.",
      ...documentWith(["components", "parameters", "pageSize", "schema", "maximum"], 100),
    },
    "document-pages-from-0": {
      title: "Publishes a document in which the first page is 0",
      how: "The framework counts from 0.",
      ...documentWith(["components", "parameters", "page", "schema", "minimum"], 0),
    },
    "document-page-number": {
      title: "Publishes a document in which page is any number",
      how: "The implementation's language has no integers.",
      ...documentWith(["components", "parameters", "page", "schema", "type"], "number"),
    },
  }),
  ...ownedBy("document.responses", {
    "answers-undocumented-status": finished({
      title: "Answers a submission with a status that its document does not declare",
      how: "The implementation changed, and the document did not.",
      applies: ({ status }, call) => call?.operation === "submitChange" && status < 300,
      answer: (answer) => ({ ...answer, status: 201 }),
    }),
    "answers-undocumented-null": {
      title: "Answers null for a member that its document declares as a string",
      how: "The column is nullable, and the document does not say so.",
      shape: (original) => (content) =>
        original(
          "data" in content
            ? { data: withoutSource(content.data) }
            : { ...content, items: content.items.map(withoutSource) },
        ),
    },
    "answers-undocumented-type": finished({
      title: "Answers with a media type that its document does not declare",
      how: "Content negotiation prefers the vendor's type.",
      applies: ({ status }, call) => call?.operation === "viewOrganization" && status < 300,
      headers: (headers) => ({ ...headers, "content-type": "application/vnd.example.org+json" }),
    }),
    "errors-undocumented-member": errorBody({
      title: "Adds a member to errors that its document does not allow",
      how: "Somebody needed it to find the request in the logs.",
      body: (_refusal, usual) => ({ ...usual, traceId: "4bf92f35" }),
    }),
  }),
});

/** Sets the source of a change to null, and leaves other values unchanged. */
function withoutSource(thing: unknown): unknown {
  return "source" in (thing as object) ? { ...(thing as object), source: null } : thing;
}
