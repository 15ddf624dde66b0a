import { ANSWER_FAULTS } from "./answers.ts";
import { AUDIENCE_FAULTS } from "./audience.ts";
import { AUTHORIZATION_SERVER_FAULTS } from "./authorization-server/index.ts";
import { AUTHORIZATION_FAULTS } from "./authorization.ts";
import { BINDING_FAULTS } from "./binding.ts";
import { REJECTION_FAULTS } from "./changed-by-rejections.ts";
import { CHANGE_FAULTS } from "./changes.ts";
import { CLAIM_FAULTS } from "./claims.ts";
import { CONDITIONAL_FAULTS, ENTITY_TAG_FAULTS, STORED_ANSWER_FAULTS } from "./conditional.ts";
import { copiesOf } from "./copies.ts";
import { CREDENTIAL_FAULTS } from "./credentials.ts";
import { CROSSING_FAULTS } from "./crossing.ts";
import { DISCLOSURE_FAULTS } from "./disclosures.ts";
import { DOCUMENT_FAULTS } from "./documents.ts";
import { EDIT_FAULTS } from "./edits.ts";
import { ERROR_BODY_FAULTS } from "./error-bodies.ts";
import { EXPIRY_FAULTS } from "./expiry.ts";
import type { Fault, Faults } from "./fault.ts";
import { FRAMEWORK_ERROR_FAULTS } from "./framework-errors.ts";
import { GUARD_FAULTS } from "./guards.ts";
import { ISSUER_FAULTS } from "./issuer.ts";
import { KEY_FAULTS } from "./keys.ts";
import { NAMED_ELSEWHERE_FAULTS } from "./named-elsewhere.ts";
import { NOT_FOUND_FAULTS, OTHER_ID_FAULTS } from "./not-found.ts";
import { ORDER_FAULTS } from "./order.ts";
import { ORGANIZATION_FAULTS } from "./organizations.ts";
import { OVERRIDE_FAULTS } from "./overrides.ts";
import { INFO_FAULTS } from "./pagination-info.ts";
import { ITEM_FAULTS } from "./pagination-items.ts";
import { BODY_FAULTS, PARAMETER_FAULTS } from "./pagination-parameters.ts";
import { PATH_FAULTS } from "./paths.ts";
import { PATTERN_FAULTS } from "./patterns.ts";
import { REMEMBERED_FAULTS } from "./remembered.ts";
import { SCOPE_FAULTS } from "./scope.ts";
import { SEPARATOR_FAULTS } from "./separators.ts";
import { SIGNATURE_FORM_FAULTS } from "./signature-form.ts";
import { SIGNATURE_KEY_FAULTS } from "./signature-keys.ts";
import { SIGNATURE_FAULTS } from "./signature.ts";
import { STATEFUL_FAULTS } from "./stateful.ts";
import { TOKEN_FAULTS } from "./tokens.ts";
import { TOO_EARLY_FAULTS } from "./too-early.ts";
import { TWO_CREDENTIALS_FAULTS } from "./two-credentials.ts";
import { UNGUARDED_WRITE_FAULTS } from "./unguarded-writes.ts";
import { BY_KEY_FAULTS, MARK_FAULTS, UNUSUAL_FAULTS } from "./unusual.ts";
import { WRONG_REQUEST_FAULTS } from "./wrong-requests.ts";

const RECEIVER_FAULTS: readonly Faults[] = [
  TOKEN_FAULTS,
  MARK_FAULTS,
  SIGNATURE_FAULTS,
  SIGNATURE_KEY_FAULTS,
  SIGNATURE_FORM_FAULTS,
  KEY_FAULTS,
  ISSUER_FAULTS,
  AUDIENCE_FAULTS,
  EXPIRY_FAULTS,
  SCOPE_FAULTS,
  AUTHORIZATION_FAULTS,
  BINDING_FAULTS,
  PATH_FAULTS,
  UNUSUAL_FAULTS,
  BY_KEY_FAULTS,
  REMEMBERED_FAULTS,
  CROSSING_FAULTS,
  STATEFUL_FAULTS,
  ORDER_FAULTS,
  TOO_EARLY_FAULTS,
  PATTERN_FAULTS,
  DISCLOSURE_FAULTS,
  REJECTION_FAULTS,
  CLAIM_FAULTS,
  ANSWER_FAULTS,
  CREDENTIAL_FAULTS,
  GUARD_FAULTS,
  UNGUARDED_WRITE_FAULTS,
  NAMED_ELSEWHERE_FAULTS,
  OVERRIDE_FAULTS,
  SEPARATOR_FAULTS,
  TWO_CREDENTIALS_FAULTS,
  STORED_ANSWER_FAULTS,
  CONDITIONAL_FAULTS,
  ENTITY_TAG_FAULTS,
  ERROR_BODY_FAULTS,
  FRAMEWORK_ERROR_FAULTS,
  OTHER_ID_FAULTS,
  NOT_FOUND_FAULTS,
  WRONG_REQUEST_FAULTS,
  INFO_FAULTS,
  PARAMETER_FAULTS,
  ITEM_FAULTS,
  BODY_FAULTS,
  ORGANIZATION_FAULTS,
  EDIT_FAULTS,
  CHANGE_FAULTS,
  DOCUMENT_FAULTS,
];

const PLAIN = RECEIVER_FAULTS.flatMap(listed);

/** Every fault that the reference receiver can be started with. */
export const FAULTS: readonly Fault[] = [
  ...PLAIN,
  ...copiesOf(PLAIN),
  ...AUTHORIZATION_SERVER_FAULTS.flatMap(listed),
];

function listed(faults: Faults): Fault[] {
  return Object.entries(faults).map(([name, fault]) => ({ name, ...fault }));
}
