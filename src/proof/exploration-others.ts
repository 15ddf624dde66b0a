/** What was tried by hand, which nothing can measure again here. A part of docs/exploration.md. */
export const OTHER_RECEIVERS = `## Receivers that the suite was not made with

A receiver in plain Node was written from the contract, with twenty near misses of values and pages. Each was
tried by the plan and by exploration alone, with seed 1 and 2000 requests: about as many as there are drawn cases, and one walk through
pages for each hundred. Without a fault, neither says anything is wrong. Exploration shows 13, four of which the plan does not; the plan shows 12.

| near miss | plan | exploration, by drawn case |
|---|---|---|
| the end of the audience | MUST | 747 |
| a member of an object in \`aud\` | MUST | 366 |
| \`aud\` after \`decodeURI\` | no | no |
| \`aud\` without the blanks around it | MUST | 174 |
| \`aud\` in the Unicode form NFKC | no | 355 |
| \`iss\` in any case, which for an issuer without a path is another spelling of its URL | open | open |
| \`iss\` before its query | MUST | no |
| \`scope\` with other separators | MUST | 249 |
| \`scope\` by a pattern, whose dot is any character | MUST | no |
| the last group of the organization's id in the binding | MUST | 66 |
| the binding without braces, hyphens and \`urn:uuid:\`, which are spellings of an id | open | open |
| a member of an object in the binding | MUST | no |
| \`exp\` without its sign | MUST | 579 |
| \`exp\` as text without a unit | MUST | 109 |
| \`alg\` in any case | MUST | 912 |
| \`sub\` without the blanks around it | no | 1243 |
| \`sub\` before its @ | no | no |
| the last part of \`sub\` | no | 985 |
| an item lost where the size is a multiple of seven | no | walk 1 |
| \`totalItems\` one less after the third page | MUST | walk 2 |

On the receivers of other stacks (\`test/receivers\`: jsonwebtoken, passport-jwt, koa-jwt, @fastify/jwt, and the examples of [stacks](stacks/README.md)), in
their careful set-ups, exploration shows no violation of a MUST with 3000 requests and seed 1 (\`EXPLORED=3000 npx vitest run test/explore/stacks.test.ts\`).
It warns of the four libraries: all accept an \`iat\` that is text and a token without \`sub\`, and all answer some malformed payloads or claims
with 500, @fastify/jwt nine kinds of them. Of the four examples it says nothing.`;
