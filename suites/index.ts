import { ownRules, type Rule } from "../src/probe/rule.ts";
import { rule as authorizationServerAccepted } from "./authorization-server/accepted.ts";
import { rule as authorizationServerAuthorizationCode } from "./authorization-server/authorization-code.ts";
import { rule as authorizationServerClaims } from "./authorization-server/claims.ts";
import { rule as authorizationServerClientCredentials } from "./authorization-server/client-credentials.ts";
import { rule as authorizationServerKeys } from "./authorization-server/keys.ts";
import { rule as authorizationServerMetadata } from "./authorization-server/metadata.ts";
import { rule as authorizationServerPkce } from "./authorization-server/pkce.ts";
import { rule as authorizationServerRecommendedClaims } from "./authorization-server/recommended-claims.ts";
import { rule as authorizationServerRedirect } from "./authorization-server/redirect.ts";
import { rule as authorizationServerResponses } from "./authorization-server/responses.ts";
import { rule as authorizationServerScope } from "./authorization-server/scope.ts";
import { rule as documentErrors } from "./document/errors.ts";
import { rule as documentPagination } from "./document/pagination.ts";
import { rule as documentResponses } from "./document/responses.ts";
import { rule as documentRoutes } from "./document/routes.ts";
import { rule as documentScopes } from "./document/scopes.ts";
import { rule as documentValid } from "./document/valid.ts";
import { rule as errorsBadRequest } from "./errors/bad-request.ts";
import { rule as errorsMediaType } from "./errors/media-type.ts";
import { rule as errorsNotFound } from "./errors/not-found.ts";
import { rule as errorsShape } from "./errors/shape.ts";
import { rule as errorsStatus } from "./errors/status.ts";
import { rule as errorsSubmission } from "./errors/submission.ts";
import { rule as errorsUnknownRoute } from "./errors/unknown-route.ts";
import { rule as paginationBody } from "./pagination/body.ts";
import { rule as paginationBoundsAccepted } from "./pagination/bounds-accepted.ts";
import { rule as paginationBoundsRejected } from "./pagination/bounds-rejected.ts";
import { rule as paginationDefaults } from "./pagination/defaults.ts";
import { rule as paginationEcho } from "./pagination/echo.ts";
import { rule as paginationPageLength } from "./pagination/page-length.ts";
import { rule as paginationPartition } from "./pagination/partition.ts";
import { rule as paginationResultsInfo } from "./pagination/results-info.ts";
import { rule as paginationTotals } from "./pagination/totals.ts";
import { rule as paginationUnknownParameter } from "./pagination/unknown-parameter.ts";
import { rule as receiverAudience } from "./receiver/audience.ts";
import { rule as receiverBindingAccepted } from "./receiver/binding-accepted.ts";
import { rule as receiverBindingList } from "./receiver/binding-list.ts";
import { rule as receiverBinding } from "./receiver/binding.ts";
import { rule as receiverClaimsAccepted } from "./receiver/claims-accepted.ts";
import { rule as receiverExpiry } from "./receiver/expiry.ts";
import { rule as receiverIsolation } from "./receiver/isolation.ts";
import { rule as receiverIssuer } from "./receiver/issuer.ts";
import { rule as receiverKeys } from "./receiver/keys.ts";
import { rule as receiverLocalPolicyList } from "./receiver/local-policy-list.ts";
import { rule as receiverLocalPolicy } from "./receiver/local-policy.ts";
import { rule as receiverNoDisclosure } from "./receiver/no-disclosure.ts";
import { rule as receiverNoSideEffects } from "./receiver/no-side-effects.ts";
import { rule as receiverOracle } from "./receiver/oracle.ts";
import { rule as receiverOrder } from "./receiver/order.ts";
import { rule as receiverOutbound } from "./receiver/outbound.ts";
import { rule as receiverRequiredClaims } from "./receiver/required-claims.ts";
import { rule as receiverRotation } from "./receiver/rotation.ts";
import { rule as receiverScopeSufficient } from "./receiver/scope-sufficient.ts";
import { rule as receiverScope } from "./receiver/scope.ts";
import { rule as receiverSignature } from "./receiver/signature.ts";
import { rule as receiverTokenRequired } from "./receiver/token-required.ts";
import { rule as resourcesChangeIsolated } from "./resources/change-isolated.ts";
import { rule as resourcesChange } from "./resources/change.ts";
import { rule as resourcesEdit } from "./resources/edit.ts";
import { rule as resourcesFeed } from "./resources/feed.ts";
import { rule as resourcesList } from "./resources/list.ts";
import { rule as resourcesSubmit } from "./resources/submit.ts";
import { rule as resourcesView } from "./resources/view.ts";
import { rule as routesReachable } from "./routes/reachable.ts";

/** Every rule, after the rules that it depends on. Reports use this order. */
export const RULES: readonly Rule[] = ownRules([
  routesReachable,
  receiverTokenRequired,
  receiverIsolation,
  receiverSignature,
  receiverKeys,
  receiverRotation,
  receiverIssuer,
  receiverAudience,
  receiverExpiry,
  receiverScope,
  receiverScopeSufficient,
  receiverBinding,
  receiverBindingAccepted,
  receiverBindingList,
  receiverLocalPolicy,
  receiverLocalPolicyList,
  receiverOrder,
  receiverNoSideEffects,
  receiverNoDisclosure,
  receiverRequiredClaims,
  receiverClaimsAccepted,
  receiverOracle,
  receiverOutbound,
  errorsShape,
  errorsStatus,
  errorsMediaType,
  errorsNotFound,
  errorsBadRequest,
  errorsSubmission,
  errorsUnknownRoute,
  paginationResultsInfo,
  paginationEcho,
  paginationBoundsAccepted,
  paginationBoundsRejected,
  paginationPageLength,
  paginationPartition,
  paginationTotals,
  paginationDefaults,
  paginationUnknownParameter,
  paginationBody,
  resourcesList,
  resourcesView,
  resourcesEdit,
  resourcesSubmit,
  resourcesChangeIsolated,
  resourcesFeed,
  resourcesChange,
  documentValid,
  documentRoutes,
  documentScopes,
  documentErrors,
  documentPagination,
  documentResponses,
  authorizationServerMetadata,
  authorizationServerKeys,
  authorizationServerClaims,
  authorizationServerRecommendedClaims,
  authorizationServerClientCredentials,
  authorizationServerPkce,
  authorizationServerRedirect,
  authorizationServerScope,
  authorizationServerAuthorizationCode,
  authorizationServerResponses,
  authorizationServerAccepted,
]);
