import type { OperationId } from "../contract/operations.ts";
import type { AuthorizationServerProfile } from "./authorization-server-schema.ts";
import type { OperationProfile } from "./operation.ts";
import type { Denied, DeploymentName } from "./target.ts";

/** A checked profile with defaults. Paths are still relative to its folder. */
export interface Profile {
  readonly $schema?: string | undefined;
  readonly baseUrl: string;
  readonly deployment?: DeploymentName | undefined;
  readonly claimsNamespace?: string | undefined;
  /** `false`: the deployment trusts only its own issuer. */
  readonly testIssuer?: TestIssuerProfile | false | undefined;
  readonly audience?: string | undefined;
  readonly subject: string;
  readonly organizations: {
    readonly primary?: string | undefined;
    readonly other?: string | { readonly id: string; readonly writes: boolean } | undefined;
  };
  readonly denied?: DeniedProfile | undefined;
  readonly writes: boolean;
  readonly packs: readonly string[];
  readonly openapi?: string | undefined;
  readonly operations: Readonly<Partial<Record<OperationId, OperationProfile | false | undefined>>>;
  readonly request: {
    readonly headers: Readonly<Record<string, string>>;
    readonly ca?: string | undefined;
    readonly cert?: string | undefined;
    readonly key?: string | undefined;
    readonly timeoutMs: number;
    readonly maxRequestsPerSecond?: number | undefined;
    readonly retryAfterSeconds: number;
    readonly callback?: string | undefined;
  };
  readonly authorizationServer?: AuthorizationServerProfile | undefined;
  readonly tokens?: { readonly command: readonly string[] } | undefined;
}

export interface TestIssuerProfile {
  readonly url: string;
  readonly keys?: string | undefined;
  readonly algorithm?: string | undefined;
  readonly algorithms?: readonly string[] | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly header: Readonly<Record<string, unknown>>;
  readonly serve?: string | undefined;
}

/** The id of the second organization, however the profile writes it. */
export function otherId({
  organizations: { other },
}: Pick<Profile, "organizations">): string | undefined {
  return typeof other === "object" ? other.id : other;
}

interface DeniedProfile extends Omit<Denied, "subject"> {
  readonly subject?: string | undefined;
}
