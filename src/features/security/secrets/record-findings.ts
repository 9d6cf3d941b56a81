/** Opens alerts for secrets that stand in a repository, and adds where they were found. */
import { typeId } from '#core/ids.ts'
import type { Tx } from '#core/write.ts'
import type { PlacedSecret } from '#features/repos/index.ts'
import { alertOpened } from '../events.ts'
import { fingerprintOf, previewOf, type Offer } from './fingerprint.ts'
import type { Source, Validity } from './schema.ts'
import { addLocation, findAlertByFingerprint, insertAlert, type AlertRow } from './store.ts'

/** An alert tells at most so many places. */
const MAX_LOCATIONS = 1000

/** The repository that alerts belong to, never a fork. */
export type AlertHome = { readonly id: string; readonly workspace_id: string }

export type Finding = PlacedSecret

/**
 * Tokens of this forge are revoked when they are found where somebody could read them. Sessions store
 * none: they are taken out before.
 */
const validityOf = (type: string, source: Source): Validity => {
  if (type !== 'hearth-token') return 'unknown'
  return source === 'session' ? 'active' : 'inactive'
}

/** The alert of a secret, a new one if there is none. */
export function openAlert(
  tx: Tx,
  home: AlertHome,
  offer: Offer,
  source: Source = 'push',
): { readonly alert: Pick<AlertRow, 'id'>; readonly isNew: boolean } {
  const known = findAlertByFingerprint(tx.db, home.id, offer.fingerprint)
  if (known) return { alert: known, isNew: false }
  const id = typeId('sec', tx.now_ms)
  insertAlert(tx, {
    id,
    repo_id: home.id,
    ...offer,
    validity: validityOf(offer.type, source),
  })
  return { alert: { id }, isNew: true }
}

/** Tells of alerts that were opened together. */
export function announceAlerts(tx: Tx, home: AlertHome, opened: readonly string[]): void {
  const [first] = opened
  if (first === undefined) return
  tx.append(
    alertOpened,
    { workspace_id: home.workspace_id, repo_id: home.id },
    { kind: 'secret', alert: first, severity: null, count: opened.length },
  )
}

/** Returns how many alerts are new. */
export function recordFindings(
  tx: Tx,
  home: AlertHome,
  source: Source,
  found: readonly Finding[],
): number {
  const opened: string[] = []
  for (const { type, label, secret, path, line, commit } of found) {
    const fingerprint = fingerprintOf(tx.hearth, type, secret)
    const offer = { fingerprint, type, label, preview: previewOf(secret) }
    const { alert, isNew } = openAlert(tx, home, offer, source)
    if (isNew) opened.push(alert.id)
    addLocation(tx, { alert_id: alert.id, commit, path, line, source }, MAX_LOCATIONS)
  }
  announceAlerts(tx, home, opened)
  return opened.length
}
