import { certifyTarget, type CommandChoices, type RunChoices } from "../../src/certify.ts";
import { consentsHere } from "../../src/cli/consents.ts";
import { withDocument } from "../../src/document/with-document.ts";
import { profileFromObject } from "../../src/profile/load.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import { type ReferenceOptions, startReference } from "../../src/reference/index.ts";
import { reportJson } from "../../src/report/json.ts";
import { wholeReport } from "../../src/report/read-report.ts";
import type { Report } from "../../src/report/report.ts";
import type { Verification } from "../../src/verify/verification.ts";
import { badLine, type BadLineOptions, type Victims } from "../stability/bad-line.ts";
import { BUNDLED_JWKS } from "../support/run-against.ts";

type Profile = Record<string, unknown>;

/** What a test may choose of a run. */
export interface Choices extends RunChoices, CommandChoices {
  /** Troubles of the line, in percent of the requests. Default: none. */
  readonly troubles?: BadLineOptions["percents"];
  /** The requests that they come over. Default: all. */
  readonly victims?: Victims;
  readonly readOnly?: boolean;
  readonly profile?: (profile: Profile) => Profile;
}

/** The report of a run against a reference receiver, as it is read back from its file. */
export async function genuine(
  reference: Omit<ReferenceOptions, "jwks"> = {},
  { readOnly, troubles = {}, victims = "all", profile = (same) => same, ...choices }: Choices = {},
): Promise<Report> {
  const receiver = await startReference({ jwks: BUNDLED_JWKS, ...reference });
  const { origin, pathname } = new URL(receiver.baseUrl);
  const line = await badLine(origin, { seed: 1, percents: troubles, victims });
  try {
    const written = profile({
      ...structuredClone(receiver.profile),
      ...(Object.keys(troubles).length > 0 && {
        audience: receiver.baseUrl,
        baseUrl: line.origin + pathname,
      }),
    });
    const target = resolveTarget({ profile: profileFromObject(written), readOnly });
    const report = await certifyTarget(
      await withDocument(consentsHere(target), { trusted: true }),
      {
        seed: 1,
        ...choices,
      },
    );
    return readBack(reportJson(report));
  } finally {
    await line.close();
    await receiver.close();
  }
}

/** A report from the text of its file. */
export function readBack(text: string): Report {
  const report = wholeReport(JSON.parse(text));
  if (typeof report === "string") throw new TypeError(report);
  return report;
}

/** The discrepancies, one line each: where and what. */
export function told({ discrepancies }: Verification): string[] {
  return discrepancies.map(({ where, case: id = "", what }) => `${where} ${id}: ${what}`);
}
