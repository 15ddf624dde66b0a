// A child process of benchmark.mjs: a TCP relay to the origin that it is given, which holds back everything that goes
// there for a while, and so makes a receiver next door one that is far away.
import { connect, createServer } from "node:net";

const [, , origin, delayMs] = process.argv;
const { hostname, port } = new URL(origin);
const late = (work) => setTimeout(() => work(), Number(delayMs));

const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
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
