import type { Feature } from '#core/hearth.ts'
import { checkSetup } from './check-setup.ts'
import { confirmEmail } from './confirm-email.ts'
import { createInvite } from './create-invite.ts'
import { createSettingsToken } from './create-settings-token.ts'
import { createToken } from './create-token.ts'
import { followRepositories } from './follow-repositories.ts'
import { forgotPassword } from './forgot-password.ts'
import { getUser } from './get-user.ts'
import { listEmails } from './list-emails.ts'
import { listInvites } from './list-invites.ts'
import { listTokens } from './list-tokens.ts'
import { mailConfirmation, mailReset, sendMessage } from './mail.ts'
import { peopleOperations } from './people-operations.ts'
import { resendEmailConfirmation } from './resend-email-confirmation.ts'
import { resetPassword } from './reset-password.ts'
import { revokeInvite } from './revoke-invite.ts'
import { revokeToken } from './revoke-token.ts'
import { signIn } from './sign-in.ts'
import { signOut } from './sign-out.ts'
import { sweepAccounts } from './sweep.ts'

export * from './schema.ts'
export * from './schema-people.ts'
export * from './people-operations.ts'
export {
  actorOf,
  actorsOf,
  avatarUrl,
  isUsernameFree,
  recordActor,
  removeActor,
  renameActor,
  requireFreeName,
} from './actors.ts'
export { callers } from './callers.ts'
export { commitIdentity, privateAddress } from './identity.ts'
export {
  EmailInput,
  PasswordInput,
  readEmail,
  requireGoodPassword,
  SecretInput,
  UsernameInput,
} from './inputs.ts'
export { acceptInvite, permitSignUp, requireInvite, signUpCode, withdrawSignUp } from './invites.ts'
export { deliver as deliverMail, mailFailure, RETRY as MAIL_RETRY, sendMail } from './mail.ts'
export {
  confirmedAddresses,
  findUser,
  findUserByEmail,
  requireUser,
  userCaller,
  type Person,
} from './people.ts'
export { PasswordGuard as Guard } from './password-guard.ts'
export { revokeLeaked } from './leaked-token.ts'
export { linkFor, makeLink } from './proofs.ts'
export { hiddenAddresses } from './email-record.ts'
export { findLogin, usablePassword } from './find-login.ts'
export { tell } from './notices.ts'
export { guardOf } from './password-guard.ts'
export { seal, sealUntil, unseal, unsealFresh } from './seal.ts'
export { findIdentity, listIdentities, putIdentity } from './store-identities.ts'
export { setProfile, type Profile } from './store-people.ts'
export { requireUserRow } from './require-password.ts'
export { resetTwoFactorHere } from './reset-two-factor.ts'
export { endSetup, issueSetupLink, requireSetupSecret } from './setup.ts'
export { openSignIn, startSignIn, type SignInBy } from './sign-ins.ts'
export { findSignInById, removeSignIn } from './store-sign-ins.ts'
export { signUp } from './sign-up.ts'
export { findActor as findActorById, keepActors, listActorIds } from './store-actors.ts'
export { keepUsers } from './store.ts'
export {
  findConfirmed as findConfirmedRow,
  findUserById,
  isWithoutAccounts,
  type UserRow,
} from './store.ts'
export { findToken, listEndedTokens, listTokenRows } from './store-tokens.ts'
export { cutToken, endToken, endTokensOf, tokenEnded, tokenOfSecret } from './token-ends.ts'
export {
  endAfter,
  requireImpersonalScopes,
  requireRepos,
  Scopes,
  TokenName,
  TokenRepos,
} from './token-limits.ts'
export { findSecrets, SECRET_FORM } from './token-search.ts'
export { issueToken, tokenRecord, type NewTokenOptions } from './tokens.ts'
export {
  checkSetup,
  confirmEmail,
  createInvite,
  createSettingsToken,
  createToken,
  forgotPassword,
  getUser,
  listEmails,
  listInvites,
  listTokens,
  resendEmailConfirmation,
  resetPassword,
  revokeInvite,
  revokeToken,
  signIn,
  signOut,
}

export const feature: Feature = {
  name: 'accounts',
  operations: [
    getUser,
    listEmails,
    resendEmailConfirmation,
    listTokens,
    createToken,
    revokeToken,
    listInvites,
    createInvite,
    revokeInvite,
    checkSetup,
    confirmEmail,
    signIn,
    signOut,
    forgotPassword,
    resetPassword,
    createSettingsToken,
    ...peopleOperations,
  ],
  reactions: followRepositories,
  jobs: [sendMessage, mailConfirmation, mailReset, sweepAccounts],
}
