/** What repositories ask about secrets in pushes: bypasses, and where findings are recorded. */
import { decide } from '#core/access.ts'
import type { SignedIn, UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import {
  fullNameOf,
  secretFindings,
  type FoundSecret,
  type RepoRow,
} from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import { timestamp } from '#lib/time.ts'
import { rulesOfRepo } from '../patterns/pattern-rules.ts'
import { bypassPushProtection } from './bypass-push-protection.ts'
import { fingerprintOf, placeholderOf, previewOf } from './fingerprint.ts'
import { recordFindings } from './record-findings.ts'
import { findBypass } from './store.ts'

function isBypassed(hearth: Hearth, home: RepoRow, by: SignedIn, found: FoundSecret): boolean {
  if (by.kind !== 'user') return false
  const fingerprint = fingerprintOf(hearth, found.type, found.secret)
  const bypass = findBypass(hearth.db, home.id, by.id, fingerprint)
  return bypass !== null && bypass.expires_at > timestamp(hearth.clock.now())
}

/** Whether a person may let secrets through, with another token than that of the push as well. */
function mayBypass(hearth: Hearth, repo: string, by: UserCaller): boolean {
  try {
    decide(bypassPushProtection.access, { ...by, token: null }, { repo }, hearth.facts)
    return true
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

function offerBypass(hearth: Hearth, home: RepoRow, by: SignedIn, found: FoundSecret) {
  const repo = fullNameOf(hearth.db, home)
  if (by.kind !== 'user' || !mayBypass(hearth, repo, by)) return null
  const placeholder = placeholderOf(hearth, home.id, by.id, {
    fingerprint: fingerprintOf(hearth, found.type, found.secret),
    type: found.type,
    label: found.label,
    preview: previewOf(found.secret),
  })
  const address = `${hearth.settings.site_url}/${repo}/security/secrets/bypass`
  return { placeholder, url: `${address}?placeholder=${placeholder}` }
}

export const pushFindings = secretFindings.with({
  customRules: rulesOfRepo,
  isBypassed,
  offerBypass,
  record: (tx, home, source, found) => void recordFindings(tx, home, source, found),
})
