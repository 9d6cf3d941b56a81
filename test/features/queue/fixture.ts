/**
 * A forge whose repository merges through a queue, and checks that end as a test says, without
 * running anything.
 */
import { afterAll, spyOn } from 'bun:test'
import type { SignedIn } from '#core/caller.ts'
import { runChecksJob } from '#features/checks/run-job.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { getMergeQueue } from '#features/queue/get-merge-queue.ts'
import type { QueueEntry } from '#features/queue/schema.ts'
import { makePullWorld, REPO } from '../pulls/fixture.ts'
import { answerRun, finishRun, type Answering } from './answers.ts'

export { REPO }
export { text } from '../pulls/fixture.ts'

let answer: Answering = () => 'passed'

export async function makeQueueWorld(settings: Parameters<typeof makePullWorld>[0] = {}) {
  const runner = spyOn(runChecksJob, 'run').mockImplementation(({ hearth }, { run_id }) =>
    answerRun(hearth, run_id, (question) => answer(question)),
  )
  afterAll(() => {
    answer = () => 'passed'
    runner.mockRestore()
  })
  const made = await makePullWorld({ merge_queue: true, ...settings })
  const { world, hearth, ada, mel, ready, ref } = made
  const queue = () => world.call(getMergeQueue, ada, { repo: REPO })
  const entry = async (number: number): Promise<QueueEntry> => {
    const { waiting, recent } = await queue()
    const found = [...waiting, ...recent].find(({ pull }) => pull.number === number)
    if (!found) throw new Error(`#${number} was never in the queue`)
    return found
  }
  return {
    ...made,
    queue,
    entry,
    /** How checks of candidates end from now on. */
    answers: (given: Answering) => void (answer = given),
    merge: (
      number: number,
      input: {
        method?: 'merge' | 'squash' | 'rebase'
        message?: string
        keep_issue_open?: boolean
        ignore_checks?: boolean
      } = {},
      as: SignedIn = mel,
    ) => world.call(mergePull, as, { repo: REPO, number, ...input }),
    /** An open pull request whose issue has a command. Its own checks have passed. */
    checked: async (files: Record<string, string>, commands = ['true'], author: SignedIn = mel) => {
      const { number: issue } = await world.call(createIssue, ada, {
        repo: REPO,
        title: 'Checked',
        checks: commands,
      })
      const number = await ready(author, files, { issue })
      await world.jobs()
      return number
    },
    /** Ends the checks of an entry's candidate. */
    finish: async (number: number, status: 'passed' | 'failed', duration_ms?: number) => {
      const run = hearth.db.one<{ id: string }>(
        `SELECT id FROM check_runs WHERE number = ? AND purpose = 'queue' AND state NOT IN ('done', 'replaced')`,
        number,
      )
      if (!run) throw new Error(`no checks of #${number} are under way`)
      await finishRun(hearth, run.id, status, duration_ms)
      await world.jobs()
    },
    states: async () =>
      (await queue()).waiting.map(
        ({ pull, state, attempt }) => `${pull.number} ${state} ${attempt}`,
      ),
    /** Commits of main by first parents, newest first. */
    line: async () =>
      hearth.git.log(made.row().store, { tips: [ref('main') ?? ''], firstParent: true }),
    /** What was told of an entry, as `state reason`. */
    told: (number: number) =>
      world
        .events('queue.changed')
        .filter(({ data }) => data.number === number)
        .map(({ data }) => [data.state, data.reason].filter(Boolean).join(' ')),
  }
}

export type QueueWorld = Awaited<ReturnType<typeof makeQueueWorld>>
