/**
 * Permits for runs of the built-in agent (setting `agents.at_once`) and for their commands. A free
 * permit goes to the workspace that holds the fewest, then to the repository that holds the fewest,
 * then to the run that has waited longest.
 */
import { handler } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { settingsChanged } from '#core/settings-changed.ts'
import { repoById } from '#features/repos/index.ts'
import { FairSemaphore } from '#lib/semaphore.ts'

const semaphoreOf = (limit: () => number): FairSemaphore =>
  new FairSemaphore({
    limit,
    maxPerCaller: limit,
    maxWaiting: Infinity,
    fullError: () => new Error('too many runs wait'),
  })

const runSemaphore = service('semaphore of agent runs', ({ settings }) =>
  semaphoreOf(() => settings.agents.at_once),
)
const commandSemaphore = service('semaphore of agent commands', () =>
  semaphoreOf(() => Math.max(1, navigator.hardwareConcurrency)),
)

/** Where more runs may be at work than before, those that wait begin at once. */
export const beginWaitingRuns = handler(
  'waiting agents follow their setting',
  settingsChanged,
  (tx) => tx.afterCommit(() => runSemaphore(tx.hearth).grantFree()),
)

const callerOf = ({ db }: Hearth, repo_id: string) => ({
  caller: repoById(db, repo_id)?.workspace_id ?? repo_id,
  resource: repo_id,
})

/** Waits until a run may work. Returns the function that releases its permit. */
export const acquireRunPermit = (
  hearth: Hearth,
  repo_id: string,
  signal: AbortSignal,
): Promise<() => void> => runSemaphore(hearth).acquire({ ...callerOf(hearth, repo_id), signal })

/**
 * Waits until a run may execute a command. There are as many permits as processors, because more
 * runs may be at work than commands can execute at once.
 */
export const acquireCommandPermit = (
  hearth: Hearth,
  repo_id: string,
  signal: AbortSignal,
): Promise<() => void> => commandSemaphore(hearth).acquire({ ...callerOf(hearth, repo_id), signal })
