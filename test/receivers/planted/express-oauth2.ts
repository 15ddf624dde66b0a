import { OAUTH2 as FILE, type Plant } from "./plant.ts";

function plant(
  name: string,
  rule: string,
  from: string,
  to: string,
  right: RegExp[],
  wrong: RegExp[],
): Plant {
  return { name, rule, plant: [FILE, from, to], right, wrong };
}

/** Express with express-oauth2-jwt-bearer. */
export const EXPRESS_OAUTH2: readonly Plant[] = [
  plant(
    "a tolerance of an hour",
    "receiver.expiry",
    "issuer: options.issuer,",
    "issuer: options.issuer,\n      clockTolerance: 3600,",
    [/exp/i, /late|after|toleran|leeway|skew|hour|[0-9] s/i],
    [/never|without `exp`/i],
  ),
  plant(
    "the view needs no scope",
    "receiver.scope",
    'api.get("/orgs/:orgId", requiredScopes("org:read"), ',
    'api.get("/orgs/:orgId", ',
    [/scope/i, /view|GET|reads? of/i],
    [/prefix|case/i],
  ),
  plant(
    "PATCH needs org:read",
    "receiver.scope",
    'requiredScopes("org:write")',
    'requiredScopes("org:read")',
    [/edit|PATCH/i, /org:read|read scope/i],
    [/prefix|any scope/i],
  ),
  plant(
    "the list needs no scope",
    "receiver.scope",
    'api.get("/orgs", requiredScopes("org:read"), ',
    'api.get("/orgs", ',
    [/scope/i, /list/i],
    [/prefix|case/i],
  ),
  plant(
    "errors are Express's own",
    "errors.shape",
    "  app.use(onError);\n",
    "",
    [/HTML|page|JSON|body|media/i],
    [/string/i],
  ),
  plant(
    "aud compared in lower case",
    "receiver.audience",
    "audience: baseUrl,",
    "audience: baseUrl,\n      validators: { aud: (aud: unknown) => String(aud).toLowerCase() === baseUrl },",
    [/case|capital/i],
    [/begin|prefix|unchecked|not check/i],
  ),
  plant(
    "aud compared by a pattern that begins with it",
    "receiver.audience",
    "audience: baseUrl,",
    "audience: baseUrl,\n      validators: { aud: (aud: unknown) => new RegExp(`^${baseUrl}`).test(String(aud)) },",
    [/begin|prefix|start/i],
    [/case|unchecked|not check/i],
  ),
  plant(
    "changes of another organization",
    "resources.change-isolated",
    "const feed = changes.get(req.params.orgId) ?? [];\n      const change",
    "const feed = [...changes.values()].flat();\n      const change",
    [/change/i, /other|another|any|all/i],
    [/bind|scope/i],
  ),
  plant(
    "an unknown change is null",
    "errors.not-found",
    'if (!change) throw new HttpError(404, "No such change");\n      res.json(change);',
    "res.json(change ?? null);",
    [/unknown|not exist|no such/i, /200|2xx|null|success/i],
    [/bind|scope/i],
  ),
  plant(
    "the submission answers 201 and keeps nothing",
    "resources.submit",
    "      changes.get(req.params.orgId)?.push(change);\n",
    "",
    [/submi|POST/i, /not|lost|without|nothing|never/i],
    [/bind|scope/i],
  ),
];
