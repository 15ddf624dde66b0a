import { API, type Plant, VERIFY } from "./plant.ts";

const ROUTES = "docs/stacks/code/fastify.ts";
const PAGE = "body: { items, page: { page, pageSize, totalItems: all.length, totalPages } },";

/** What the pages of the lists are asked. */
function page(
  name: string,
  rule: string,
  plant: readonly [string, string],
  right: RegExp[],
  wrong: RegExp[],
): Plant {
  return { name, rule, plant: [API, ...plant], right, wrong };
}

/** The code of `docs/stacks/fastify.md`. */
export const FASTIFY: readonly Plant[] = [
  page(
    "page counted from 0",
    "pagination.partition",
    [
      "all.slice((page - 1) * pageSize, page * pageSize)",
      "all.slice(page * pageSize, (page + 1) * pageSize)",
    ],
    [/0|zero|first page|skip|page 1 where page 2/i],
    [/total|cap/i],
  ),
  page(
    "the page always says pageSize 100",
    "pagination.echo",
    [PAGE, PAGE.replace("pageSize,", "pageSize: 100,")],
    [/pageSize/i, /100|always|default/i],
    [/total/i],
  ),
  page(
    "totalItems counts the page",
    "pagination.totals",
    ["totalItems: all.length", "totalItems: items.length"],
    [/totalItems/i, /page/i],
    [/totalPages/i],
  ),
  page(
    "totalPages rounded down",
    "pagination.totals",
    ["Math.ceil(", "Math.floor("],
    [/totalPages|number of pages|last page/i],
    [/totalItems/i],
  ),
  page(
    "totalPages one too many",
    "pagination.totals",
    ["Math.ceil(all.length / pageSize)", "Math.floor(all.length / pageSize) + 1"],
    [/totalPages|number of pages/i, /more|many|one/i],
    [/totalItems/i],
  ),
  page(
    "the last item of each page missing",
    "pagination.page-length",
    ["page * pageSize);", "page * pageSize - 1);"],
    [/page/i, /fewer|missing|last|short|less|omit|drop/i],
    [/total/i],
  ),
  page(
    "pageSize ignored",
    "pagination.page-length",
    ["all.slice((page - 1) * pageSize, page * pageSize)", "all.slice(page - 1)"],
    [/pageSize|all|more/i],
    [/total/i],
  ),
  page(
    "page named in strings",
    "pagination.results-info",
    [
      PAGE,
      "body: { items, page: { page: String(page), pageSize: String(pageSize), totalItems: all.length, totalPages } },",
    ],
    [/string|text/i],
    [/total/i],
  ),
  page(
    "pageSize absent",
    "pagination.results-info",
    [PAGE, PAGE.replace("pageSize, ", "")],
    [/pageSize/i, /absent|without|omit|missing|leaves out|no /i],
    [/string/i],
  ),
  page(
    "what is no number is page 0, which is accepted",
    "pagination.bounds-rejected",
    ["value >= 1 &&", "value >= 0 &&"],
    [/0|zero|not valid/i],
    [/negative|total/i],
  ),
  page(
    "default pageSize of 20",
    "pagination.defaults",
    ['?? "100"', '?? "20"'],
    [/default|without `?pageSize|100/i],
    [/total/i],
  ),
  {
    name: "status as a string",
    rule: "errors.shape",
    plant: [
      VERIFY,
      "return { status, message, errors: [] };",
      "return { status: String(status), message, errors: [] };",
    ],
    right: [/status/i, /string|text/i],
    wrong: [/HTML|`errors`/i],
  },
  {
    name: "Fastify's own errors",
    rule: "errors.shape",
    plant: [
      ROUTES,
      "void reply.status(status).send(errorBody(status, message));\n  });\n  return",
      'void reply.status(status).send({ statusCode: status, error: "Refused", message });\n  });\n  return',
    ],
    right: [/body|member|own|framework|`status`|`errors`/i],
    wrong: [/HTML/i],
  },
  {
    name: "an error body without errors",
    rule: "errors.shape",
    plant: [VERIFY, "return { status, message, errors: [] };", "return { status, message };"],
    right: [/`errors`/i, /without|omit|absent|missing|leaves out|no /i],
    wrong: [/string|HTML/i],
  },
  {
    name: "a constant in the body's status",
    rule: "errors.status",
    plant: [
      VERIFY,
      "return { status, message, errors: [] };",
      "return { status: status && 500, message, errors: [] };",
    ],
    right: [/status/i, /same|constant|whatever|wrong/i],
    wrong: [/string|HTML/i],
  },
];
