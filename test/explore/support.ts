import { certifyTarget, type ExploreChoices } from "../../src/certify.ts";
import type { RunEvent } from "../../src/engine/events.ts";
import { profileFromObject } from "../../src/profile/load.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import type { Target } from "../../src/profile/target.ts";
import { JWKS } from "../../src/proof/seed.ts";
import { type ReferenceOptions, startReference } from "../../src/reference/index.ts";
import { casesOf, type Report, type ReportCase } from "../../src/report/report.ts";

/** A run that explores, and what it sent. */
export interface Explored {
  readonly report: Report;
  /** The cases that it found. */
  readonly found: readonly ReportCase[];
  /** Method, URL and case of each request to the receiver. */
  readonly sent: readonly string[];
}

/** Explores a reference receiver, without a plan unless `choices` say otherwise. */
export async function exploreReference(
  receiver: Partial<ReferenceOptions>,
  choices: Parameters<typeof certifyTarget>[1] & { readonly explore?: ExploreChoices },
  change: (target: Target) => Target = (target) => target,
): Promise<Explored> {
  const running = await startReference({ jwks: JWKS, ...receiver });
  const sent: string[] = [];
  try {
    const target = change(resolveTarget({ profile: profileFromObject(running.profile) }));
    const report = await certifyTarget(target, {
      seed: 1,
      ...choices,
      onEvent(event: RunEvent) {
        if (event.type !== "exchange") return;
        const { caseId, request } = event.exchange;
        sent.push(`${caseId} ${request.method} ${new URL(request.url).pathname}`);
      },
    });
    const found = casesOf(report).filter(({ explored }) => explored);
    return { report, found, sent };
  } finally {
    await running.close();
  }
}
