/**
 * Random histories of the merge queue, with crashes, held against what must always be true.
 * Everything is looked up in git and in the tables of the forge, as somebody would who found them
 * on a disk. Knows nothing of the test runner, so that a script can run thousands
 * (test/system/queue-histories.ts).
 */
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHearth } from '#src/app.ts'
import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { call } from '#core/operation.ts'
import { writeAs } from '#core/write.ts'
import type { Oid } from '#git'
import { insertUser } from '#features/accounts/store/users.ts'
import { runChecksJob } from '#features/checks/run-job.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { closePull } from '#features/pulls/lifecycle/close-pull.ts'
import { convertPullToDraft } from '#features/pulls/lifecycle/convert-pull-to-draft.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { markPullReady } from '#features/pulls/lifecycle/mark-pull-ready.ts'
import { mergePull } from '#features/pulls/merging/merge-pull.ts'
import { reopenPull } from '#features/pulls/lifecycle/reopen-pull.ts'
import type { PullRow } from '#features/pulls/store-pulls.ts'
import { leaveMergeQueue } from '#features/queue/leave-merge-queue.ts'
import { moveInMergeQueue } from '#features/queue/move-in-merge-queue.ts'
import { pauseMergeQueue } from '#features/queue/pause-merge-queue.ts'
import { resumeMergeQueue } from '#features/queue/resume-merge-queue.ts'
import type { EntryRow } from '#features/queue/store.ts'
import {
  branchRef,
  listRetainedCommits,
  listTipsOfStore,
  moveRefs,
  prepareUpdates,
  readRef,
  repoByPath,
  type RepoRow,
} from '#features/repos/index.ts'
import { createRepo } from '#features/repos/lifecycle/create-repo.ts'
import { updateRepoSettings } from '#features/repos/settings/update-repo-settings.ts'
import { createWorkspace } from '#features/workspaces/create-workspace.ts'
import { Refusal } from '#lib/errors.ts'
import { silentLog } from '#lib/log.ts'
import { typeId } from '#core/ids.ts'
import { START, testSettings } from '../../settings.ts'
import { answerRun, type Answer, type Question } from './answers.ts'

const REPO = 'acme/site'
/**
 * In memory where that is to be had: what is lost here is lost by copying too early, not by the
 * disk.
 */
const TMP = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const FILES = 4
const LINES = 8

/** Numbers that follow from a seed (mulberry32). */
function randomOf(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (count: number): number => Math.floor(next() * count)
  return {
    next,
    below,
    pick: <T>(items: readonly T[]): T | undefined => items[below(items.length)],
    chance: (share: number): boolean => next() < share,
  }
}
type Random = ReturnType<typeof randomOf>

type Clock = { at: number; now(): number }

/**
 * Copies a directory in which threads still write. A file that goes away before its turn is left
 * out, as if the power had failed just after it was deleted or renamed.
 */
function copyWhileItRuns(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    try {
      if (entry.isDirectory()) copyWhileItRuns(source, target)
      else if (entry.isFile()) copyFileSync(source, target)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

const open = (data: string, clock: Clock): Hearth =>
  openHearth({
    settings: testSettings(data),
    log: silentLog,
    clock,
    databasePath: join(data, 'hearth.db'),
  })

const person = (id: string): UserCaller => ({
  kind: 'user',
  id,
  username: 'ada',
  verified: true,
  suspended: false,
  site_admin: false,
  token: null,
  sign_in: null,
})

/**
 * A forge with one repository that merges through a queue; every history begins with a copy of it.
 */
export async function makeTemplate(): Promise<{ data: string; ada: string }> {
  const data = mkdtempSync(join(TMP, 'hearth-histories-'))
  const clock: Clock = { at: START, now: () => clock.at }
  const hearth = open(data, clock)
  const ada = typeId('usr', START)
  await writeAs(hearth, null, (tx) =>
    insertUser(tx, {
      id: ada,
      username: 'ada',
      email: 'ada@example.com',
      name: null,
      password_hash: null,
      verified: true,
      site_admin: false,
    }),
  )
  const caller = person(ada)
  await call(hearth, createWorkspace, caller, { slug: 'acme' })
  await call(hearth, createRepo, caller, { workspace: 'acme', name: 'site', private: false })
  await call(hearth, updateRepoSettings, caller, {
    repo: REPO,
    merge_queue: true,
    queue_slots: 3,
    delete_branch_on_merge: false,
  })
  const files = Object.fromEntries(
    Array.from({ length: FILES }, (_, at) => [`f${at}`, linesOf(at)]),
  )
  await commit(hearth, caller, 'main', files)
  await hearth.close()
  return { data, ada }
}

const linesOf = (file: number, changed?: { line: number; to: string }): string =>
  `${Array.from({ length: LINES }, (_, at) => (changed?.line === at ? changed.to : `file ${file} line ${at}`)).join('\n')}\n`

const rowOf = (hearth: Hearth): RepoRow => {
  const row = repoByPath(hearth.db, REPO)
  if (!row) throw new Error('the repository is gone')
  return row
}

/** Puts a commit on a branch as a push would; a branch that is not there begins at main. */
async function commit(
  hearth: Hearth,
  caller: UserCaller,
  branch: string,
  files: Record<string, string>,
): Promise<Oid> {
  const repo = rowOf(hearth)
  const name = branchRef(branch)
  const old = readRef(hearth.db, repo.id, name)
  const parent = old ?? readRef(hearth.db, repo.id, branchRef('main'))
  const author = {
    name: 'ada',
    email: 'ada@example.com',
    time: Math.floor(hearth.clock.now() / 1000),
    zone: '+0000',
  }
  const changes = Object.entries(files).map(([path, text]) => ({
    action: 'put' as const,
    path,
    data: new TextEncoder().encode(text),
  }))
  const { commit: oid } = await hearth.git.commitFiles(repo.store, {
    parent,
    changes,
    message: `Change ${branch}`,
    author,
    committer: author,
  })
  const prepared = await prepareUpdates(hearth, repo, [{ name, old, new: oid }])
  await writeAs(hearth, caller, (tx) => moveRefs(tx, repo, prepared))
  return oid
}

/**
 * What is in a tree besides the files that all begin with: a marker for each pull request and push
 * that it holds.
 */
async function markersIn(hearth: Hearth, oid: Oid): Promise<string[]> {
  const entries = (await hearth.git.listTree(rowOf(hearth).store, oid, '')) ?? []
  return entries
    .map(({ name }) => name)
    .filter((name) => name.startsWith('pull-') || name.startsWith('push-'))
    .sort()
}

export type Told = {
  readonly actions: number
  readonly landed: number
  readonly failed: number
  readonly removed: number
  readonly crashes: number
}

/** Runs one history. Throws with what was not as it must be. */
export async function runHistory(
  template: { data: string; ada: string },
  seed: number,
  length = 36,
): Promise<Told> {
  const history = new History(template, seed)
  const before = runChecksJob.run
  const checks = runChecksJob as { run: typeof runChecksJob.run }
  checks.run = ({ hearth }, { run_id }) =>
    answerRun(hearth, run_id, (question) => history.answer(question))
  try {
    return await history.run(length)
  } finally {
    checks.run = before
    await history.end()
  }
}

class History {
  readonly #random: Random
  readonly #clock: Clock = { at: START + 60_000, now: () => this.#clock.at }
  readonly #ada: UserCaller
  #data: string
  #hearth: Hearth
  #branches = 0
  #crashes = 0
  /** What was said of each candidate. */
  readonly #verdicts = new Map<Oid, Answer>()
  /** Trees with both of these fail; with one of `#bad` as well. */
  readonly #bad = new Set<string>()
  readonly #pairs: [string, string][] = []
  /** Entries whose coming in was confirmed. */
  #confirmed = new Set<string>()
  /** Operations that nobody has waited for yet. */
  #open: Promise<unknown>[] = []

  constructor(
    { data, ada }: { data: string; ada: string },
    readonly seed: number,
  ) {
    this.#random = randomOf(seed)
    this.#ada = person(ada)
    this.#data = mkdtempSync(join(TMP, 'hearth-history-'))
    cpSync(data, this.#data, { recursive: true })
    this.#hearth = open(this.#data, this.#clock)
  }

  async run(length: number): Promise<Told> {
    await this.#hearth.jobs.start()
    for (let at = 0; at < 5; at++) await this.#begin()
    for (let at = 0; at < length; at++) {
      this.#clock.at += 1_000
      await this.#act()
      // Sometimes the forge gets as far as it can, mostly it is in the middle of something.
      if (this.#random.chance(0.3)) await this.#rest()
      else if (this.#random.chance(0.5)) await new Promise((resolve) => setImmediate(resolve))
    }
    await this.#finish()
    const count = (state: string): number =>
      this.#hearth.db.one<{ n: number }>(
        'SELECT COUNT(*) AS n FROM queue_entries WHERE state = ?',
        state,
      )?.n ?? 0
    return {
      actions: length,
      landed: count('landed'),
      failed: count('failed'),
      removed: count('removed'),
      crashes: this.#crashes,
    }
  }

  async end(): Promise<void> {
    await Promise.allSettled(this.#open)
    await this.#hearth.close().catch(() => {})
    rmSync(this.#data, { recursive: true, force: true })
  }

  /** Always the same for the same tree. Some are said at once, some when somebody asks again. */
  async answer({ hearth, commit: oid }: Question, mayWait = true): Promise<Answer> {
    const markers = await markersIn(hearth, oid)
    if (mayWait && this.#random.chance(0.5)) return null
    const broken =
      markers.some((one) => this.#bad.has(one)) ||
      this.#pairs.some((pair) => pair.every((one) => markers.includes(one)))
    const said = broken ? 'failed' : 'passed'
    this.#verdicts.set(oid, said)
    return said
  }

  async #rest(): Promise<void> {
    await Promise.allSettled(this.#open)
    this.#open = []
    await this.#hearth.jobs.idle()
  }

  #pulls(where: string): PullRow[] {
    return this.#hearth.db.all<PullRow>(`SELECT * FROM pulls WHERE ${where} ORDER BY number`)
  }
  #waiting(): EntryRow[] {
    return this.#hearth.db.all<EntryRow>(
      'SELECT * FROM queue_entries WHERE place IS NOT NULL ORDER BY place',
    )
  }

  /** A refusal is an answer like any other; what the forge is to blame for is not. */
  #call<I, O>(
    operation: Parameters<typeof call<I, O>>[1],
    input: NoInfer<I>,
    done: (output: O) => void = () => {},
  ): void {
    const hearth = this.#hearth
    const running = call(hearth, operation, this.#ada, input).then(
      (output) => {
        if (hearth === this.#hearth) done(output)
      },
      (error: unknown) => {
        if (hearth === this.#hearth && !(error instanceof Refusal)) throw error
      },
    )
    running.catch(() => {})
    this.#open.push(running)
  }

  /** One more pull request, for an issue with a command or without. */
  async #begin(): Promise<void> {
    const number = ++this.#branches
    const marker = `pull-${number}`
    if (this.#random.chance(0.15)) this.#bad.add(marker)
    if (number > 1 && this.#random.chance(0.15))
      this.#pairs.push([marker, `pull-${1 + this.#random.below(number - 1)}`])
    const file = this.#random.below(FILES)
    await commit(this.#hearth, this.#ada, `b${number}`, {
      [marker]: `${marker}\n`,
      [`f${file}`]: linesOf(file, { line: this.#random.below(LINES), to: `changed by ${number}` }),
    })
    const issue = this.#random.chance(0.75)
      ? (
          await call(this.#hearth, createIssue, this.#ada, {
            repo: REPO,
            title: 'Checked',
            checks: ['test'],
          })
        ).number
      : undefined
    await call(this.#hearth, createPull, this.#ada, {
      repo: REPO,
      title: marker,
      branch: `b${number}`,
      ...(issue === undefined ? {} : { issue }),
    })
  }

  async #act(): Promise<void> {
    const random = this.#random
    const entry = random.pick(this.#waiting())
    const pull = random.pick(this.#pulls(`status = 'open'`))
    const kind = random.below(100)
    if (kind < 30) {
      const method = random.pick(['merge', 'squash', 'rebase'] as const)
      if (pull)
        this.#call(
          mergePull,
          { repo: REPO, number: pull.number, ...(method ? { method } : {}) },
          ({ queue }) => void (queue && this.#confirmed.add(queue.entry)),
        )
    } else if (kind < 42) await this.#begin()
    else if (kind < 52) await this.#answerSome(0.6)
    else if (kind < 58) {
      const file = random.below(FILES)
      const name = `push-${this.#clock.at}`
      // A push that is overtaken is refused, as git's would be.
      await commit(this.#hearth, this.#ada, 'main', {
        [name]: `${name}\n`,
        ...(random.chance(0.4)
          ? { [`f${file}`]: linesOf(file, { line: random.below(LINES), to: name }) }
          : {}),
      }).catch(refused)
    } else if (kind < 63) {
      if (pull?.branch)
        await commit(this.#hearth, this.#ada, pull.branch, {
          [`more-${this.#clock.at}`]: 'more\n',
        }).catch(refused)
    } else if (kind < 68) {
      if (entry) this.#call(leaveMergeQueue, { repo: REPO, number: entry.number })
    } else if (kind < 75) {
      if (entry)
        this.#call(moveInMergeQueue, {
          repo: REPO,
          number: entry.number,
          position: 1 + random.below(5),
        })
    } else if (kind < 78) this.#call(pauseMergeQueue, { repo: REPO, reason: 'Wait' })
    else if (kind < 82) this.#call(resumeMergeQueue, { repo: REPO })
    else if (kind < 85) {
      if (entry)
        this.#call(random.chance(0.5) ? closePull : convertPullToDraft, {
          repo: REPO,
          number: entry.number,
        })
    } else if (kind < 87) {
      const closed = random.pick(this.#pulls(`status = 'closed'`))
      if (closed) this.#call(reopenPull, { repo: REPO, number: closed.number })
      const draft = random.pick(this.#pulls(`status = 'draft'`))
      if (draft) this.#call(markPullReady, { repo: REPO, number: draft.number, summary: 'Again' })
    } else if (kind < 89)
      this.#call(updateRepoSettings, {
        repo: REPO,
        merge_queue: random.chance(0.7),
        queue_slots: 1 + random.below(5),
      })
    else if (kind < 92) await this.#maintain()
    else await this.#crash(random.chance(0.7))
  }

  /** Says what comes of tests that go on. */
  async #answerSome(share: number): Promise<void> {
    const runs = this.#hearth.db.all<{ id: string }>(
      `SELECT id FROM check_runs WHERE state IN ('queued', 'running')`,
    )
    for (const { id } of runs)
      if (this.#random.chance(share))
        await answerRun(this.#hearth, id, (question) => this.answer(question, false))
  }

  /** Takes away everything that nobody names, as maintenance does after its grace. */
  async #maintain(): Promise<void> {
    await this.#rest()
    const { store } = rowOf(this.#hearth)
    await this.#hearth.git.maintain(store, listTipsOfStore(this.#hearth.db, store), {
      graceMs: 0,
      retained: listRetainedCommits(this.#hearth, store),
    })
  }

  /**
   * Abrupt: what is on disk in the middle of everything is all that is left. What was confirmed
   * before must be in it. Otherwise the process is told to stop, and stops.
   */
  async #crash(abrupt: boolean): Promise<void> {
    this.#crashes++
    for (let turns = this.#random.below(12); turns > 0; turns--)
      await new Promise((resolve) => setImmediate(resolve))
    const [old, data, running] = [this.#hearth, this.#data, this.#open]
    this.#open = []
    if (abrupt) {
      this.#data = mkdtempSync(join(TMP, 'hearth-history-'))
      copyWhileItRuns(data, this.#data)
    } else {
      await Promise.allSettled(running)
      await old.close()
    }
    this.#hearth = open(this.#data, this.#clock)
    if (abrupt) {
      await Promise.allSettled(running)
      await old.close().catch(() => {})
      rmSync(data, { recursive: true, force: true })
    }
    await this.#check()
    await this.#hearth.jobs.start()
  }

  /** Lets everything come to its end. */
  async #finish(): Promise<void> {
    await this.#rest()
    await call(this.#hearth, updateRepoSettings, this.#ada, { repo: REPO, merge_queue: true })
    await call(this.#hearth, resumeMergeQueue, this.#ada, { repo: REPO })
    for (let rounds = 0; rounds < 200 && this.#waiting().length > 0; rounds++) {
      await this.#rest()
      await this.#answerSome(1)
      this.#clock.at += 1_000
    }
    await this.#rest()
    const left = this.#waiting()
    if (left.length > 0)
      throw new Error(
        `entries wait for ever: ${left.map(({ number, state, verdict }) => `#${number} ${state} ${verdict ?? ''}`).join(', ')}`,
      )
    await this.#check()
    const faults = await this.#hearth.git.verify(
      rowOf(this.#hearth).store,
      listTipsOfStore(this.#hearth.db, rowOf(this.#hearth).store),
    )
    if (faults.length > 0) throw new Error(`the store is damaged: ${faults.join('; ')}`)
  }

  /** What must be true at any moment. */
  async #check(): Promise<void> {
    const hearth = this.#hearth
    const repo = rowOf(hearth)
    const main = readRef(hearth.db, repo.id, branchRef('main'))
    if (main === null) throw new Error('main is gone')
    const line = (
      await hearth.git.log(repo.store, { tips: [main], firstParent: true })
    ).toReversed()
    const places = new Map(line.map(({ oid }, at) => [oid, at]))
    const entries = hearth.db.all<EntryRow>('SELECT * FROM queue_entries ORDER BY id')
    const landed = entries.filter(({ state }) => state === 'landed')
    const must = (holds: boolean, what: string): void => {
      if (!holds) throw new Error(what)
    }

    for (const entry of landed) {
      const what = `#${entry.number} (${entry.id})`
      must(
        entry.candidate_sha !== null && places.has(entry.candidate_sha),
        `${what} landed, but its candidate is not on main`,
      )
      const tested = this.#verdicts.get(entry.candidate_sha ?? '')
      must(
        entry.commands === '[]' || tested === 'passed',
        `${what} landed as a commit of which tests said ${tested ?? 'nothing'}`,
      )
      must(
        (await hearth.git.readCommit(repo.store, entry.candidate_sha ?? ''))?.tree ===
          entry.candidate_tree,
        `${what} landed with another tree`,
      )
    }
    // The order on main is the order of landing.
    const told = hearth.db
      .all<{ data: string }>(`SELECT data FROM events WHERE type = 'queue.changed' ORDER BY id`)
      .map(({ data }) => JSON.parse(data) as { entry: string; state: string })
    const order = told
      .filter(({ state }) => state === 'landed')
      .map(
        ({ entry }) => places.get(landed.find(({ id }) => id === entry)?.candidate_sha ?? '') ?? -1,
      )
    must(
      order.length === landed.length &&
        order.every((place, at) => at === 0 || place > (order[at - 1] ?? 0)),
      `entries are on main in another order than they landed: ${order.join(' ')}`,
    )

    for (const pull of this.#pulls(`1`)) {
      const ends = landed.filter(({ number }) => number === pull.number)
      must(ends.length <= 1, `#${pull.number} landed ${ends.length} times`)
      must(
        ends.length === 0 || pull.status === 'merged',
        `#${pull.number} landed and is ${pull.status}`,
      )
      must(
        pull.status !== 'merged' ||
          (pull.merge_commit_sha !== null && places.has(pull.merge_commit_sha)),
        `#${pull.number} is merged as a commit that is not on main`,
      )
      const events = hearth.db.all(
        `SELECT 1 FROM events WHERE type = 'pull.merged' AND number = ?`,
        pull.number,
      ).length
      must(
        events === (pull.status === 'merged' ? 1 : 0),
        `#${pull.number} is ${pull.status} and was told to be merged ${events} times`,
      )
      const merges = line.filter(({ message }) =>
        message.includes(`Pull-Request: ${REPO}#${pull.number}\n`),
      ).length
      must(
        pull.merge_method === 'rebase'
          ? merges >= 1
          : merges === (ends.length === 1 || pull.merge_method !== null ? 1 : 0),
        `#${pull.number} is on main ${merges} times`,
      )
    }
    // Whatever came onto main is still there: nothing that landed or was pushed is ever undone by
    // what lands after it.
    let before: string[] = []
    for (const { oid } of line) {
      const now = await markersIn(hearth, oid)
      must(
        before.every((marker) => now.includes(marker)),
        `${oid} loses ${before.filter((marker) => !now.includes(marker)).join(' ')}`,
      )
      before = now
    }
    const merged = this.#pulls(`status = 'merged'`).map(({ title }) => title)
    must(
      merged.every((marker) => before.includes(marker)),
      `merged, but not on main: ${merged.filter((marker) => !before.includes(marker)).join(' ')}`,
    )
    const strays = before.filter((marker) => marker.startsWith('pull-') && !merged.includes(marker))
    must(strays.length === 0, `on main, but not merged: ${strays.join(' ')}`)

    for (const id of this.#confirmed)
      must(
        entries.some((entry) => entry.id === id),
        `${id} was confirmed and is lost`,
      )
    for (const entry of entries) {
      const states = told.filter(({ entry: id }) => id === entry.id).map(({ state }) => state)
      must(
        states[0] === 'queued' && states.at(-1) === entry.state,
        `${entry.id} is ${entry.state}, and was told to be ${states.join(', ')}`,
      )
      must(
        states.filter((state) => ['landed', 'failed', 'removed'].includes(state)).length ===
          (entry.place === null ? 1 : 0),
        `${entry.id} ended more than once, or not at all`,
      )
      if (entry.state === 'failed') await this.#checkFault(entry, must)
      const comments = hearth.db.all(
        'SELECT 1 FROM comments WHERE number = ? AND body LIKE ?',
        entry.number,
        '%left the merge queue%',
      ).length
      if (entry.state === 'failed' || entry.state === 'removed')
        must(comments > 0, `${entry.id} left without a word`)
      if (entry.place !== null && entry.candidate_sha !== null)
        must(
          (await hearth.git.readCommit(repo.store, entry.candidate_sha)) !== null,
          `the candidate of ${entry.id} is gone`,
        )
    }
  }

  /**
   * Nothing leaves for what something else broke: with what was ahead of it, and without itself,
   * the tests pass.
   */
  async #checkFault(
    { id, number, reason, candidate_sha, base_sha, rests_on }: EntryRow,
    must: (holds: boolean, what: string) => void,
  ): Promise<void> {
    if (reason !== 'checks_failed' || candidate_sha === null || base_sha === null) return
    must(
      this.#verdicts.get(candidate_sha) === 'failed',
      `#${number} (${id}) failed, but its tests did not`,
    )
    const ahead =
      rests_on === null
        ? null
        : this.#hearth.db.one<EntryRow>('SELECT * FROM queue_entries WHERE id = ?', rests_on)
    must(
      ahead === null || ahead.commands === '[]' || this.#verdicts.get(base_sha) === 'passed',
      `#${number} (${id}) left, but what was ahead of it had not passed`,
    )
  }
}

const refused = (error: unknown): void => {
  if (!(error instanceof Refusal)) throw error
}

/** Takes the template away. */
export const removeTemplate = ({ data }: { data: string }): void => {
  if (existsSync(data)) rmSync(data, { recursive: true, force: true })
}
