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
  'token-revoked': ['good', 'The token is revoked and no longer works.'],
  'repo-made': ['good', 'The repository is ready.'],
  'workspace-made': ['good', 'The workspace is ready.'],
  'issue-closed': ['good', 'The issue is closed.'],
  'issue-reopened': ['good', 'The issue is open again.'],
  merged: ['good', 'Merged.'],
  'pull-ready': ['good', 'The pull request is ready for review.'],
  'pull-draft': ['info', 'The pull request is a draft again.'],
  'pull-closed': ['info', 'The pull request is closed.'],
  'pull-reopened': ['good', 'The pull request is open again.'],
  reviewed: ['good', 'Your review is in.'],
  'member-removed': ['good', 'The member is removed.'],
  'invite-made': ['good', 'The invite is ready: send its link.'],
  'invite-revoked': ['good', 'The invite is revoked.'],
} as const satisfies Record<string, readonly [FlashKind, string]>

export type FlashWord = keyof typeof FLASHES

export function flashOf(word: string | null): { kind: FlashKind; text: string } | null {
  const found = word !== null && Object.hasOwn(FLASHES, word) ? FLASHES[word as FlashWord] : null
  return found ? { kind: found[0], text: found[1] } : null
}
