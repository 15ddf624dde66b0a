// A child process of benchmark.mjs: runs the rules of a tree against receivers with one fault each, of which it takes evenly
// spread ones, until the first failure shows, and tells how many requests were sent by then.
import { pathToFileURL } from "node:url";

const [, , root] = process.argv;
const of = (path) => import(new URL(path, `${pathToFileURL(root).href}/`).href);
const { certify } = await of("dist/src/index.js");
const { startReference, FAULTS } = await of("dist/src/reference/index.js");

/** One of so many faults is tried. */
const ONE_IN = 16;

const faults = FAULTS.filter(
  ({ rule, observed }) => !observed && !/^(?:authorization-server|document)\./.test(rule),
);
const counts = [];
for (const { name } of faults.filter((_, at) => at % ONE_IN === 0)) {
  const receiver = await startReference({
    jwks: new URL("keys/jwks.json", `${pathToFileURL(root).href}/`).pathname,
    faults: [name],
  });
  const { openapi: _openapi, ...profile } = receiver.profile;
  let sent = 0;
  let shown;
  await certify({
    profile,
    seed: 1,
    bail: true,
    onEvent(event) {
      if (event.type === "exchange") sent += 1;
      const isJudged = event.type === "case-judged" && event.result.outcome === "fail";
      if (isJudged || event.type === "case-failing") shown ??= sent;
    },
  });
  // Faults that violate no MUST show no failure.
  if (shown !== undefined) counts.push(shown);
  await receiver.close();
}
process.send({ counts }, () => process.exit());
