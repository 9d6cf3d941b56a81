/** The fair semaphore of `lib` with the errors of git. */
import { FairSemaphore } from '#lib/semaphore.ts'
import { GitError } from './ports.ts'

/**
 * `acquire` throws GitError `busy` when too many wait, and `aborted` when the signal is aborted
 * first.
 */
export const workSemaphore = (limit: number, maxPerCaller?: number): FairSemaphore =>
  new FairSemaphore({
    limit,
    ...(maxPerCaller === undefined ? {} : { maxPerCaller }),
    fullError: () => new GitError('busy', 'too much work waits already; try again in a moment'),
    abortError: () => new GitError('aborted', 'the request was given up'),
  })
