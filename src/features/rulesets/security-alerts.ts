/** The rule `security_alerts`: no open alert of a severity when a pull request is merged. */
import type { Hearth } from '#core/hearth.ts'
import { memo, preload } from '#core/read-scope.ts'
import {
  standingAlerts,
  type MergeEvaluation,
  type PullRow,
  type StandingAlerts,
} from '#features/pulls/index.ts'
import type { RepoRow } from '#features/repos/index.ts'
import type { RuleOf } from './applicable-rules.ts'
import type { Violation } from './merge-rules.ts'

type Parameters = RuleOf<'security_alerts'>['parameters']

const NONE: StandingAlerts = { alerts: [], count: 0, awaited: [] }

const memoName = (rule: Parameters): string => `standing alerts ${JSON.stringify(rule)}`

function read(
  hearth: Hearth,
  repo: RepoRow,
  pulls: readonly PullRow[],
  rule: Parameters,
): ReadonlyMap<string, StandingAlerts> {
  const [find] = standingAlerts.all(hearth)
  return find ? find(hearth, repo, pulls, rule) : new Map<string, StandingAlerts>()
}

/** Reads the alerts of all pull requests of a page at once. */
export const preloadAlerts = (
  hearth: Hearth,
  repo: RepoRow,
  pulls: readonly PullRow[],
  rule: Parameters,
): void =>
  preload(
    hearth.db,
    memoName(rule),
    pulls.map(({ id }) => id),
    () => read(hearth, repo, pulls, rule),
    () => NONE,
  )

const countText = (count: number, { severity, kinds }: Parameters): string => {
  const what = count === 1 ? '1 open security alert' : `${count} open security alerts`
  return kinds.every((kind) => kind === 'secret')
    ? what
    : `${what} of severity ${severity} or higher`
}

/** Everybody who sees the pull request reads this, so it says nothing of what an alert is about. */
export function alertsProblem(
  hearth: Hearth,
  { pull, context: { repo } }: MergeEvaluation,
  rule: Parameters,
): Violation | null {
  const { alerts, count, awaited } = memo(
    hearth.db,
    memoName(rule),
    pull.id,
    () => read(hearth, repo, [pull], rule).get(pull.id) ?? NONE,
  )
  if (count > 0)
    return {
      message: `it has ${countText(count, rule)}; fix or dismiss each`,
      details: { alerts, count },
    }
  if (awaited.length > 0)
    return {
      message: `these scanners have not finished with the newest commit: ${awaited.join(', ')}`,
      details: { awaited },
    }
  return null
}
