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
import { resendEmailConfirmation } from './resend-email-confirmation.ts'
import { resetPassword } from './reset-password.ts'
import { revokeInvite } from './revoke-invite.ts'
import { revokeToken } from './revoke-token.ts'
import { signIn } from './sign-in.ts'
import { signOut } from './sign-out.ts'
import { sweepAccounts } from './sweep.ts'

export * from './schema.ts'
export { actorOf, actorsOf, avatarUrl, isUsernameFree, recordActor, renameActor, requireFreeName } from './actors.ts'
export { callers } from './callers.ts'
export { commitIdentity, privateAddress } from './identity.ts'
export { EmailInput, PasswordInput, readEmail, requireGoodPassword, SecretInput, UsernameInput } from './inputs.ts'
export { acceptInvite, requireInvite } from './invites.ts'
export { sendMail } from './mail.ts'
export { findUser, findUserByEmail, requireUser, userCaller, type Person } from './people.ts'
export { linkFor, makeLink } from './proofs.ts'
export { endSetup, issueSetupLink, requireSetupSecret } from './setup.ts'
export { startSignIn } from './sign-ins.ts'
export { signUp } from './sign-up.ts'
export { findActor as findActorById } from './store-actors.ts'
export { findUserById, isWithoutAccounts, type UserRow } from './store.ts'
export { findToken } from './store-tokens.ts'
export { issueToken, tokenRecord, type NewTokenOptions } from './tokens.ts'
export {
  checkSetup, confirmEmail, createInvite, createSettingsToken, createToken, forgotPassword, getUser, listEmails, listInvites, listTokens, resendEmailConfirmation,
  resetPassword, revokeInvite, revokeToken, signIn, signOut,
}

export const feature: Feature = {
  name: 'accounts',
  operations: [
    getUser, listEmails, resendEmailConfirmation, listTokens, createToken, revokeToken, listInvites, createInvite, revokeInvite,
    checkSetup, confirmEmail, signIn, signOut, forgotPassword, resetPassword, createSettingsToken,
  ],
  reactions: followRepositories,
  jobs: [sendMessage, mailConfirmation, mailReset, sweepAccounts],
}
