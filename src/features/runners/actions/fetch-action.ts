/** Finds the action of a step for a job of this process: on this forge, or on another one. */
import type { Hearth } from '#core/hearth.ts'
import type { JobToRun } from '#features/workflows/index.ts'
import { checkOutForJob } from '../check-out.ts'
import type { ActionName } from '../execute/job-input.ts'
import { fetchRemoteAction } from './remote-action.ts'

/** Whether a repository of this forge has this name or had it before. */
const isOfThisForge = ({ facts }: Hearth, repository: string): boolean =>
  facts.repo(repository, { kind: 'anonymous' }) !== null || facts.moved(repository) !== null

/**
 * Writes the files of an action into an empty folder, and returns a line for the log. A repository of
 * this forge has precedence, also where the job may not read it. Otherwise a stranger could register
 * its name on the other forge and run code here. Throws an Error with one line for the author.
 */
export async function fetchActionForJob(
  hearth: Hearth,
  job: JobToRun,
  name: ActionName,
  folder: string,
): Promise<string> {
  const { repository, ref } = name
  const downloaded = `Download action repository '${repository}@${ref}'`
  if (isOfThisForge(hearth, repository)) {
    const source = { repository, ref, token: null, history: 'none', keepsToken: false } as const
    return `${downloaded} (SHA:${await checkOutForJob(hearth, job, folder, source)})`
  }
  const fetched = await fetchRemoteAction(hearth, name, folder)
  if (fetched === null) throw new Error(missingText(repository, hearth.settings.jobs.actions_from))
  const { commit, from, staleBecause } = fetched
  const stale = staleBecause === null ? '' : `, as it was last, because ${staleBecause}`
  return `${downloaded} from ${from} (SHA:${commit})${stale}`
}

const missingText = (repository: string, places: readonly string[]): string =>
  places.length === 0
    ? `${repository} is not on this forge. Import it, or ask an administrator to name a forge that has it in jobs.actions_from`
    : `${repository} is neither on this forge nor at ${places.join(' or ')}`
