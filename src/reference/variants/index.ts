import { ACCESS_VARIANTS } from "./access.ts";
import { CLAIM_VARIANTS } from "./claim.ts";
import { DOCUMENT_VARIANTS } from "./document.ts";
import { FEED_VARIANTS } from "./feed.ts";
import { HTTP_VARIANTS } from "./http.ts";
import { ID_VARIANTS } from "./ids.ts";
import { PACE_VARIANTS } from "./pace.ts";
import { PAGINATION_VARIANTS } from "./pagination.ts";
import { REPLICA_VARIANTS } from "./replicas.ts";
import { RESOURCE_VARIANTS } from "./resource.ts";
import { SERVER_VARIANTS } from "./server.ts";
import { SHAPE_VARIANTS } from "./shape.ts";
import { SIGNATURE_VARIANTS } from "./signature.ts";
import type { Variant, Variants } from "./variant.ts";

/** Every conforming variant that the reference receiver can be started with. */
export const VARIANTS: readonly Variant[] = [
  ACCESS_VARIANTS,
  CLAIM_VARIANTS,
  DOCUMENT_VARIANTS,
  FEED_VARIANTS,
  HTTP_VARIANTS,
  ID_VARIANTS,
  PACE_VARIANTS,
  PAGINATION_VARIANTS,
  REPLICA_VARIANTS,
  RESOURCE_VARIANTS,
  SHAPE_VARIANTS,
  SIGNATURE_VARIANTS,
  SERVER_VARIANTS,
].flatMap((variants: Variants) =>
  Object.entries(variants).map(([name, variant]) => ({ name, ...variant })),
);
