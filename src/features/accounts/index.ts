import type { Feature } from '#core/hearth.ts'
import { renameReposInTokens } from './tokens/rename-repos-in-tokens.ts'
import { mailConfirmation, mailReset } from './mail/link-mails.ts'
import { sendMessage } from './mail/mailer.ts'
import { departedNames } from './departed-workspaces.ts'
import { sweepAccounts } from './sweep.ts'
import * as operations from './operations.ts'

export * from './operations.ts'
export * from './schema.ts'
export {
  actorOf,
  actorsOf,
  avatarUrl,
  isUsernameFree,
  loadActors,
  type ActorLookup,
  recordActor,
  removeActor,
  renameActor,
  requireFreeName,
} from './people/actors.ts'
export { importedName, recordImportedPerson } from './people/imported-people.ts'
export { createCallerLookup } from './sign-in/caller-lookup.ts'
export { commitIdentity, privateAddress } from './people/commit-identity.ts'
export {
  EmailInput,
  KnownBrowserInput,
  PasswordInput,
  readEmail,
  requireGoodPassword,
  SecretInput,
  UsernameInput,
} from './inputs.ts'
export {
  acceptInvite,
  permitSignUp,
  requireInvite,
  findSignUpCode,
  withdrawSignUp,
} from './invites/invites.ts'
export {
  deliverMail,
  mailFailure,
  MAIL_RETRY_DELAYS,
  enqueueMail,
} from './mail/mailer.ts'
export {
  confirmedAddresses,
  findUser,
  findUserByEmail,
  requireUser,
  userCaller,
  type Person,
} from './people/people.ts'
export { AttemptLimiter } from './sign-in/attempt-limiter.ts'
export { revokeLeakedToken } from './tokens/revoke-leaked-token.ts'
export {
  createMailedLinkFor,
  createMailedLink,
} from './mail/mailed-links.ts'
export { mailTranslations, sayTo, type MailTranslations, type Say } from './mail/mail-language.ts'
export { hiddenAddresses } from './emails/email-record.ts'
export { findLogin, usablePasswordHash } from './sign-in/find-login.ts'
export { sendSecurityNotice } from './mail/security-notices.ts'
export { signInAttempts } from './sign-in/attempt-limiter.ts'
export {
  attemptSource,
  KNOWN_BROWSER_LIFETIME_MS,
  knownBrowserToken,
} from './sign-in/attempt-source.ts'
export { seal, Sealer, sealUntil, unseal, unsealFresh } from './seal.ts'
export { findIdentity, listIdentities, putIdentity } from './store/identities.ts'
export { setLocale, setProfile } from './store/user-settings.ts'
export { accessEnded } from './passwords/end-access.ts'
export { requireUserRow } from './passwords/require-password.ts'
export { resetTwoFactorFromCommandLine } from './two-factor/reset-two-factor.ts'
export {
  removeSetupLink,
  issueSetupLink,
  requireSetupSecret,
} from './setup/setup-link.ts'
export {
  beginSignIn,
  createSignIn,
} from './sign-in/sign-ins.ts'
export { findSignInById, removeSignIn } from './store/sign-ins.ts'
export { signUp } from './people/sign-up.ts'
export {
  findActor,
  preloadActors,
  listActorIds,
} from './store/actors.ts'
export { preloadUsers } from './store/users.ts'
export {
  findUserRowByEmail,
  findUserById,
  isWithoutAccounts,
  type UserRow,
} from './store/users.ts'
export { endRedirect, listRedirects, redirectWorkspace } from './departed-workspaces.ts'
export { findDeparted } from './store/departed.ts'
export { findToken, listEndedTokens, listTokenRows } from './store/tokens.ts'
export {
  shortenToken,
  endToken,
  endTokensOf,
  tokenEnded,
  findTokenOfSecret,
} from './tokens/end-tokens.ts'
export {
  tokenExpiry,
  requireImpersonalScopes,
  requireRepos,
  Scopes,
  TokenName,
  TokenRepos,
} from './tokens/token-limits.ts'
export { issueToken, tokenRecord, type NewTokenOptions } from './tokens/tokens.ts'
export const feature: Feature = {
  name: 'accounts',
  operations: Object.values(operations),
  reactions: renameReposInTokens,
  jobs: [sendMessage, mailConfirmation, mailReset, sweepAccounts],
  extensions: [departedNames],
}
