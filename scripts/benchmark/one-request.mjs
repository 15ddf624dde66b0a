// The minimum that a script with undici does before its first request; see benchmark.mjs.
import { Agent } from "undici";

const agent = new Agent();
await agent.request({ origin: process.argv[2], path: "/", method: "GET" }).catch(() => {});
await agent.destroy();
