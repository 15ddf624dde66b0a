import { join } from "node:path";

import { expect, it } from "vitest";

import { sourceFiles } from "../../src/cli/source-files.ts";
import { findTarget } from "../../src/profile/resolve.ts";
import { folderWith } from "../support/folder.ts";

const folder = folderWith({
  "orgsync.yaml": [
    "# a profile",
    "baseUrl: http://127.0.0.1:8080/base",
    "openapi: ./api.yaml",
    "operations:",
    "  editOrganization: { body: { name: a } }",
    "",
  ].join("\n"),
  "api.yaml": [
    "openapi: 3.1.0",
    "paths:",
    "  /base/orgs:",
    "    get: {}",
    "  /base/orgs/{id}:",
    "    patch: {}",
    "",
  ].join("\n"),
});

it("finds the lines where the base URL and the operations begin", () => {
  const target = findTarget({ profile: "orgsync.yaml", cwd: folder });
  expect(sourceFiles("orgsync.yaml", target, folder)).toEqual({
    profile: { file: "orgsync.yaml", lines: { baseUrl: 2, editOrganization: 5 } },
    document: { file: "api.yaml", lines: { listOrganizations: 4, editOrganization: 6 } },
  });
});

it("names a document without lines if it cannot be read, and no document for a URL", () => {
  const target = findTarget({ profile: "orgsync.yaml", cwd: folder });
  const lost = { ...target, openapi: join(folder, "lost.yaml") };
  expect(sourceFiles(undefined, lost, folder)).toEqual({
    document: { file: "lost.yaml", lines: {} },
  });
  const remote = { ...target, openapi: "https://sync.example.com/api.yaml" };
  expect(sourceFiles(undefined, remote, folder)).toEqual({});
});
