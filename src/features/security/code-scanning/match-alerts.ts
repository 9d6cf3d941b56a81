/**
 * Finds the alert of each result. Results with the same tool, rule, file and line hash are paired
 * with alerts in the order of their lines. What is left is matched by rule and hash with alerts
 * that this analysis no longer has in their file: the file was renamed.
 */
import type { PlacedResult } from './file-lines.ts'

export type AlertKey = {
  readonly id: string
  readonly rule_id: string
  readonly path: string
  readonly line_hash: string
  readonly line: number
}

export type Match = {
  readonly placed: PlacedResult
  /** Null for a new alert. */
  readonly alert_id: string | null
}

const keyOf = (rule: string, hash: string, path: string): string =>
  JSON.stringify([rule, hash, path])

function group<T>(items: readonly T[], keyOfItem: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = keyOfItem(item)
    const known = groups.get(key)
    if (known) known.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/** Results of one analysis that have the same place twice are one. */
function withoutRepeats(results: readonly PlacedResult[]): PlacedResult[] {
  const seen = new Set<string>()
  return results.filter(({ result, path, line, end_line }) => {
    const key = JSON.stringify([result.rule_id, path, line, end_line, result.message])
    return !seen.has(key) && seen.add(key)
  })
}

/** `openOnRef` are the alerts that the ref had before this analysis. */
export function matchAlerts(
  results: readonly PlacedResult[],
  alerts: readonly AlertKey[],
  openOnRef: ReadonlySet<string>,
): Match[] {
  const byLine = (a: { line: number }, b: { line: number }): number => a.line - b.line
  const known = group(alerts, ({ rule_id, line_hash, path }) => keyOf(rule_id, line_hash, path))
  const matches: Match[] = []
  const unmatched: PlacedResult[] = []
  const used = new Set<string>()
  const sorted = withoutRepeats(results).sort(byLine)
  for (const [key, found] of group(sorted, (one) =>
    keyOf(one.result.rule_id, one.hash, one.path),
  )) {
    const candidates = (known.get(key) ?? []).toSorted(byLine)
    for (const [index, placed] of found.entries()) {
      const alert = candidates[index]
      if (alert) {
        used.add(alert.id)
        matches.push({ placed, alert_id: alert.id })
      } else unmatched.push(placed)
    }
  }
  const vanished = group(
    alerts.filter(({ id }) => openOnRef.has(id) && !used.has(id)),
    ({ rule_id, line_hash }) => keyOf(rule_id, line_hash, ''),
  )
  for (const placed of unmatched) {
    const alert = vanished.get(keyOf(placed.result.rule_id, placed.hash, ''))?.shift()
    matches.push({ placed, alert_id: alert?.id ?? null })
  }
  return matches
}
