// A child process of benchmark.mjs: a TCP relay to an origin that delays everything it forwards there, to simulate the
// network latency of a remote receiver. Data on a new connection is delayed twice, because a real connection takes a round
// trip to open.
import { connect, createServer } from "node:net";
import { setTimeout } from "node:timers/promises";

const [, , origin, delayMs] = process.argv;
const { hostname, port } = new URL(origin);
const delay = Number(delayMs);

const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
  const readyAt = performance.now() + delay;
  let before = Promise.resolve();
  const late = (work) => {
    const due = Math.max(readyAt, performance.now()) + delay;
    before = before.then(() => setTimeout(Math.max(0, due - performance.now()))).then(() => work());
  };
  const far = connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true });
  near.on("data", (bytes) => late(() => far.write(bytes)));
  near.on("end", () => late(() => far.end()));
  near.on("close", () => late(() => far.destroy()));
  near.on("error", () => {});
  far.on("data", (bytes) => near.write(bytes));
  far.on("end", () => near.end());
  far.on("close", () => near.destroySoon());
  far.on("error", () => near.destroy());
});
server.listen(0, "127.0.0.1", () => {
  process.send({ origin: `http://127.0.0.1:${server.address().port}` });
});
process.on("disconnect", () => process.exit());
