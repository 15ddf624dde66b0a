// A child process of benchmark.mjs: runs the rules of a tree against a clean receiver, and tells for each known fault of which a MUST
// case tells, how many requests were sent when the first such case had run. A run that meets the fault shows it then, a few
// round trips later: it has to be seen a second time, and the good request has to be accepted again.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , root, here] = process.argv;
const at = (tree, path) => new URL(path, `${pathToFileURL(tree).href}/`);
const { certify } = await import(at(root, "dist/src/index.js").href);
const { startReference } = await import(at(root, "dist/src/reference/index.js").href);

const receiver = await startReference({ jwks: at(root, "keys/jwks.json").pathname });
const { openapi: _openapi, ...profile } = receiver.profile;
let sent = 0;
const ranAfter = new Map();
const musts = new Set();
await certify({
  profile,
  seed: 1,
  onEvent(event) {
    if (event.type === "exchange") sent += 1;
    if (event.type === "case-ran" && !ranAfter.has(event.id)) ranAfter.set(event.id, sent);
    if (event.type === "case-judged" && event.result.level === "MUST") musts.add(event.result.id);
  },
});
await receiver.close();

const { cases, signatures } = JSON.parse(
  readFileSync(at(here, "fixtures/signatures.json"), "utf8"),
);
const counts = signatures
  .filter(({ rule }) => !/^(?:authorization-server|document)\./.test(rule))
  .map(({ rule, fail = "" }) =>
    listed(cases[rule], fail).flatMap((id) => {
      const caseId = musts.has(id) ? id : `${rule}/${id}`;
      return musts.has(caseId) ? (ranAfter.get(caseId) ?? []) : [];
    }),
  )
  .filter((positions) => positions.length > 0)
  .map((positions) => Math.min(...positions));
process.send({ counts }, () => process.exit());

/** The ids of spans such as `0-5 7`. */
function listed(ids, spans) {
  return spans.split(" ").flatMap((span) => {
    const [from, to = from] = span.split("-").map(Number);
    return span === "" ? [] : ids.slice(from, to + 1);
  });
}
