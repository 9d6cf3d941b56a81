/**
 * What a page says once at its top after something was done. The cookie carries only the word; the text is here, so nobody
 * can make the site say something else.
 */
import type { FlashKind } from './components/flash.tsx'

const FLASHES = {
  'signed-out': ['info', 'You are signed out.'],
  confirmed: ['good', 'Your address is confirmed.'],
  'confirmation-sent': ['info', 'A new confirmation link is on its way.'],
  'password-set': ['good', 'Your password is set. You can sign in with it.'],
  'reset-sent': ['info', 'If that address has an account, a link to set a new password is on its way.'],
  saved: ['good', 'Saved.'],
  'email-added': ['info', 'The address is added. Open the link that we mailed to it.'],
  'email-removed': ['good', 'The address is removed.'],
  'password-changed': ['good', 'Your password is changed. Other browsers are signed out.'],
  'password-link-sent': ['info', 'A link to set a password is on its way to your address.'],
  'two-factor-on': ['good', 'Two-factor sign-in is on.'],
  'authenticator-removed': ['info', 'The authenticator is removed.'],
  'passkey-added': ['good', 'The passkey is added.'],
  'passkey-removed': ['good', 'The passkey is removed.'],
  'identity-linked': ['good', 'The sign-in is linked to your account.'],
  'identity-removed': ['good', 'The sign-in is unlinked.'],
  'browser-signed-out': ['good', 'That browser is signed out.'],
  'others-signed-out': ['good', 'All other browsers are signed out.'],
  'user-suspended': ['good', 'The account is suspended.'],
  'user-unsuspended': ['good', 'The account is let in again.'],
  'two-factor-reset': ['good', 'The account signs in with its password alone again.'],
  'application-revoked': ['good', 'The application has no access any more.'],
  'agent-stopped': ['good', 'The agent is stopped. Its token no longer works.'],
  'agents-stopped': ['good', 'All agents are stopped, and automatic merging is off.'],
  'token-revoked': ['good', 'The token is revoked and no longer works.'],
  'repo-made': ['good', 'The repository is ready.'],
  'repo-renamed': ['good', 'The repository has its new name. Old addresses lead here.'],
  'repo-moved': ['good', 'The repository is in its new workspace. Old addresses lead here.'],
  'repo-private': ['good', 'The repository is private.'],
  'repo-public': ['good', 'The repository is public.'],
  'repo-archived': ['good', 'The repository is archived.'],
  'repo-unarchived': ['good', 'The repository can be changed again.'],
  'repo-deleted': ['info', 'The repository is deleted. Owners can restore it for 30 days, in the settings of the workspace.'],
  'repo-restored': ['good', 'The repository is back.'],
  'repo-purged': ['info', 'The repository is purged.'],
  'branch-renamed': ['good', 'The branch has its new name.'],
  'branch-deleted': ['good', 'The branch is deleted.'],
  'tag-made': ['good', 'The tag is made.'],
  'tag-deleted': ['good', 'The tag is deleted.'],
  'workspace-made': ['good', 'The workspace is ready.'],
  'issue-closed': ['good', 'The issue is closed.'],
  'issue-reopened': ['good', 'The issue is open again.'],
  'issue-locked': ['good', 'Only those who may push can comment now.'],
  'issue-unlocked': ['good', 'Everyone who sees this can comment again.'],
  'comment-deleted': ['good', 'The comment is deleted.'],
  merged: ['good', 'Merged.'],
  'pull-ready': ['good', 'The pull request is ready for review.'],
  'pull-draft': ['info', 'The pull request is a draft again.'],
  'pull-closed': ['info', 'The pull request is closed.'],
  'pull-reopened': ['good', 'The pull request is open again.'],
  reviewed: ['good', 'Your review is in.'],
  'review-dismissed': ['good', 'The review no longer counts.'],
  'branch-made': ['good', 'The branch is made.'],
  'member-removed': ['good', 'The member is removed.'],
  'invitation-sent': ['good', 'The invitation is on its way.'],
  'invitation-accepted': ['good', 'You are in.'],
  'invitation-declined': ['info', 'The invitation is declined.'],
  'collaborator-removed': ['good', 'Their role here has ended.'],
  'team-made': ['good', 'The team is ready.'],
  'team-deleted': ['info', 'The team is deleted.'],
  'workspace-deleted': ['info', 'The workspace is deleted.'],
  'invite-made': ['good', 'The invite is ready: send its link.'],
  'invite-revoked': ['good', 'The invite is revoked.'],
} as const satisfies Record<string, readonly [FlashKind, string]>

export type FlashWord = keyof typeof FLASHES

export function flashOf(word: string | null): { kind: FlashKind; text: string } | null {
  const found = word !== null && Object.hasOwn(FLASHES, word) ? FLASHES[word as FlashWord] : null
  return found ? { kind: found[0], text: found[1] } : null
}
