/**
 * What callers do. Each piece of work is one task from beginning to end; whatever the forge
 * promises on the way is written down.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../crash/random.ts'
import { git, GitFailed, runGit, withToken } from '../../../scripts/support/git.ts'
import { BROKEN, type Board, type Open, type Place } from './board.ts'
import type { Caller } from './doors.ts'

export type Worker = {
  readonly caller: Caller
  readonly random: Random
  readonly board: Board
  /** Where it may work; an agent in one repository alone. */
  readonly places: readonly Place[]
  /** Whether it pushes with git; others commit through the interface. */
  readonly git: boolean
  readonly directory: string
}

const REPO_ID = `(SELECT repos.id FROM repos JOIN actors ON actors.id = repos.workspace_id WHERE actors.username || '/' || repos.name = ? AND repos.parent_id IS NULL)`
const pick = <T>(random: Random, items: readonly T[]): T => {
  const one = items[Math.floor(random.next() * items.length)]
  if (one === undefined) throw new Error('there is nothing to pick from')
  return one
}
const numberOf = (record: Record<string, unknown>): number => Number(record.number)
const idOf = (record: Record<string, unknown>): string => String(record.id)

/** Pushes until git or the forge has said yes or no. Null for yes. */
async function push(
  worker: Worker,
  clone: string,
  repo: string,
  oid: string,
  ref: string,
): Promise<string | null> {
  const { caller } = worker
  for (;;) {
    const life = await caller.lives.now()
    const { status, error } = await runGit(clone, [
      'push',
      '-q',
      withToken(`${life.url}/${repo}.git`, caller.token),
      `${oid}:${ref}`,
    ])
    if (status === 0) {
      caller.diary.note(
        'push',
        `SELECT 1 FROM events JOIN repos ON repos.id = events.repo_id WHERE type = 'git.push' AND data ->> 'after' = ? AND data ->> 'ref' = ?`,
        oid,
        ref,
      )
      return null
    }
    if (/\[rejected\]|\[remote rejected\]|fetch first|stale info|non-fast-forward/.test(error))
      return error
    if (!life.over) await Bun.sleep(200)
    if (!life.over) {
      caller.diary.surprise(
        `${caller.name}: git push to ${repo} failed while the forge was up: ${error.trim().slice(0, 500)}`,
      )
      return error
    }
  }
}

/** Fetches a branch into a new clone of its own. */
async function cloned(worker: Worker, repo: string, branch: string): Promise<string | null> {
  const { caller, directory } = worker
  const clone = join(directory, caller.name)
  for (;;) {
    const life = await caller.lives.now()
    try {
      rmSync(clone, { recursive: true, force: true })
      await git(
        directory,
        'clone',
        '-q',
        '--single-branch',
        '--branch',
        branch,
        withToken(`${life.url}/${repo}.git`, caller.token),
        clone,
      )
      return clone
    } catch (error) {
      if (!(error instanceof GitFailed)) throw error
      if (!life.over) await Bun.sleep(200)
      if (!life.over) {
        caller.diary.surprise(
          `${caller.name}: a clone of ${repo} failed while the forge was up: ${error.message}`,
        )
        return null
      }
    }
  }
}

async function commitFiles(
  clone: string,
  files: Readonly<Record<string, string>>,
  message: string,
): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(clone, path, '..'), { recursive: true })
    writeFileSync(join(clone, path), text)
  }
  await git(clone, 'add', '.')
  await git(clone, 'commit', '-q', '-m', message)
  return (await git(clone, 'rev-parse', 'HEAD')).trim()
}

/**
 * A file of its own, sometimes a line of a file that others change too, rarely something that
 * breaks the rules of the place.
 */
function filesOf({ random }: Worker, name: string, file: string): Record<string, string> {
  const files: Record<string, string> = {
    [file]: Array.from(
      { length: 12 },
      (_, at) => `${name}, line ${at + 1}, ${Math.floor(random.next() * 1e9)}\n`,
    ).join(''),
  }
  if (random.chance(0.15)) files[`shared/${Math.floor(random.next() * 6)}.txt`] = `${name}\n`
  if (random.chance(0.06)) files[BROKEN] = `${name}\n`
  if (random.chance(0.1)) files[`half-${Math.floor(random.next() * 1e6)}`] = `${name}\n`
  return files
}

/**
 * Brings files to the head of a pull request's fork or to a new branch. Gives whether they are
 * there.
 */
async function bring(
  worker: Worker,
  repo: string,
  files: Readonly<Record<string, string>>,
  message: string,
  branch: { from: string; to: string },
): Promise<boolean> {
  const { caller } = worker
  if (worker.git) {
    const clone = await cloned(worker, repo, branch.from)
    return (
      clone !== null &&
      (await push(
        worker,
        clone,
        repo,
        await commitFiles(clone, files, message),
        `refs/heads/${branch.to}`,
      )) === null
    )
  }
  const changes = Object.entries(files).map(([path, content]) => ({ path, action: 'put', content }))
  const made = await caller.must('create_commit', {
    repo,
    branch: branch.from,
    message,
    files: changes,
    ...(branch.to === branch.from ? {} : { new_branch: branch.to }),
  })
  const sha = made && String(made.sha)
  if (sha)
    caller.diary.note(
      'commit',
      `SELECT 1 FROM events WHERE type = 'git.push' AND data ->> 'after' = ?`,
      sha,
    )
  return sha !== null
}

const MOST_OPEN = 20

/** Issue, pull request, push, session, ready. */
export async function contribute(worker: Worker): Promise<void> {
  const { caller, random, board } = worker
  const { diary } = caller
  const place = pick(random, worker.places)
  // Where much waits for others, one helps with that.
  if (board.open.filter((one) => one.place === place).length >= MOST_OPEN) return review(worker)
  const { repo } = place
  const title = caller.unique('wants')
  const issue = await caller.must('create_issue', {
    repo,
    title,
    body: `What ${caller.name} wants.`,
    checks: place.checks,
  })
  if (!issue) return
  diary.given(repo, numberOf(issue), idOf(issue))
  diary.note(
    'issue',
    `SELECT 1 FROM issues JOIN records USING (repo_id, number) WHERE repo_id = ${REPO_ID} AND title = ? AND number = ? AND issues.id = ?`,
    repo,
    title,
    numberOf(issue),
    idOf(issue),
  )
  const name = caller.unique('solves')
  const file = `work/${name.replaceAll(' ', '-').replaceAll('/', '-')}.txt`
  const branch = random.chance(0.3) ? name.replaceAll(' ', '-').replaceAll('/', '-') : null
  if (
    branch !== null &&
    !(await bring(worker, repo, filesOf(worker, name, file), `Work of ${name}`, {
      from: 'main',
      to: branch,
    }))
  )
    return
  const made = await caller.must('create_pull', {
    repo,
    issue: numberOf(issue),
    title: name,
    agent: 'simulated',
    ...(branch === null ? {} : { branch }),
  })
  if (!made) return
  const pull = made.pull as Record<string, unknown>
  const number = numberOf(pull)
  diary.given(repo, number, idOf(pull))
  diary.note(
    'pull',
    `SELECT 1 FROM pulls WHERE repo_id = ${REPO_ID} AND title = ? AND number = ? AND id = ?`,
    repo,
    name,
    number,
    idOf(pull),
  )
  if (
    branch === null &&
    !(await bring(
      worker,
      `${repo}/pull/${number}`,
      filesOf(worker, name, file),
      `Work of ${name}`,
      { from: 'main', to: 'main' },
    ))
  )
    return
  const last = `${name}: done`
  const entries = [
    { kind: 'message', text: `${name}: begins` },
    { kind: 'tool', tool: 'sed', text: `${name}: a tool` },
    { kind: 'usage', text: '', data: { cost_usd: 0.01 } },
    { kind: 'summary', text: last },
  ]
  const told = await caller.must('append_session', { repo, number, entries })
  if (told)
    diary.note(
      'session',
      'SELECT 1 FROM session_entries JOIN pulls ON pulls.id = pull_id WHERE pulls.id = ? AND text = ? AND seq = ?',
      idOf(pull),
      last,
      Number(told.last_seq),
    )
  if (branch === null) {
    if (
      !(await caller.must('mark_pull_ready', { repo, number, summary: `${name}. It works now.` }))
    )
      return
    diary.note('ready', `SELECT 1 FROM pulls WHERE id = ? AND ready_at IS NOT NULL`, idOf(pull))
  }
  board.open.push({ place, number, author: caller.name, file, reverts: false, tries: 0 })
}

/** Says something somewhere: a comment, a status, a question. */
export async function say(worker: Worker): Promise<void> {
  const { caller, random, board, places } = worker
  const one =
    board.open
      .filter(({ place }) => places.includes(place))
      .at(Math.floor(random.next() * 5) - 5) ?? null
  if (!one) return
  const { repo } = one.place
  const body = caller.unique('says')
  if (random.chance(0.25)) {
    // Another may have brought it to its end meanwhile, or many ask there already.
    const asked = await caller.call('ask_agent', { repo, number: one.number, text: body })
    if (asked.ok)
      caller.diary.note(
        'question',
        `SELECT 1 FROM session_entries JOIN agent_questions USING (pull_id, seq) WHERE agent_questions.id = ? AND session_entries.text = ?`,
        idOf(asked.body),
        body,
      )
    else if (asked.status !== 409)
      caller.diary.surprise(
        `${caller.name}: asking ${repo}#${one.number} was refused with ${asked.status}: ${JSON.stringify(asked.body)}`,
      )
    return
  }
  const made = await caller.must('add_comment', { repo, number: one.number, body })
  if (made)
    caller.diary.note(
      'comment',
      'SELECT 1 FROM comments WHERE body = ? AND number = ?',
      body,
      one.number,
    )
}

const LATER = new Set([
  'checks_pending',
  'base_moved',
  'head_moved',
  'approvals_missing',
  'not_open',
  'changes_requested',
])

/** Reviews somebody else's, sometimes with a suggestion, which is then taken. */
export async function review(worker: Worker): Promise<void> {
  const { caller, random, board, places } = worker
  const one = board.take(
    random,
    ({ place, author }) => author !== caller.name && places.includes(place),
  )
  if (!one) return
  const { repo } = one.place
  const target = { repo, number: one.number }
  const send = async (input: Record<string, unknown>): Promise<Record<string, unknown> | null> => {
    const answer = await caller.call('review_pull', { ...target, ...input })
    if (answer.ok)
      caller.diary.note(
        'review',
        'SELECT 1 FROM reviews WHERE id = ? AND body = ?',
        idOf(answer.body),
        String(input.body),
      )
    else if (answer.status !== 409 && answer.status !== 403)
      caller.diary.surprise(
        `${caller.name}: a review of ${repo}#${one.number} was refused with ${answer.status}: ${JSON.stringify(answer.body)}`,
      )
    return answer.ok ? answer.body : null
  }
  try {
    if (random.chance(0.1))
      await send({ verdict: 'request_changes', body: caller.unique('objects') })
    if (random.chance(0.2) && !one.reverts) {
      const text = caller.unique('suggests')
      const made = await send({
        verdict: 'comment',
        body: text,
        comments: [{ path: one.file, line: 2, body: `${text}\n\`\`\`suggestion\n${text}\n\`\`\`` }],
      })
      const comment = (made?.comments as string[] | undefined)?.[0]
      if (comment !== undefined) {
        const applied = await caller.call('apply_suggestion', { repo, id: comment })
        if (applied.ok)
          caller.diary.note(
            'suggestion',
            'SELECT 1 FROM comments WHERE id = ? AND applied_in = ?',
            comment,
            String(applied.body.sha),
          )
        else if (applied.status !== 409 && applied.status !== 403)
          caller.diary.surprise(
            `${caller.name}: a suggestion for ${repo}#${one.number} was refused with ${applied.status}: ${JSON.stringify(applied.body)}`,
          )
      }
    }
    await send({ verdict: 'approve', body: caller.unique('approves') })
  } finally {
    board.putBack(one)
  }
}

const codesOf = (record: Record<string, unknown>): string[] =>
  ((record.blockers ?? []) as { code: string }[]).map(({ code }) => code)

/**
 * Merges, or does what is in the way. What the pull request says and what merging says must be the
 * same.
 */
export async function merge(worker: Worker): Promise<void> {
  const { caller, random, board, places } = worker
  const one = board.take(random, ({ place }) => places.includes(place))
  if (!one) return
  const { repo } = one.place
  const target = { repo, number: one.number }
  const before = await caller.must('get_pull', target)
  if (!before) return
  if (before.status !== 'open') return over(worker, one, before)
  if (before.queue !== null) return board.putBack(one)
  const method = pick(random, ['merge', 'squash', 'rebase'])
  const answer = await caller.call('merge_pull', { ...target, method })
  const after = await caller.must('get_pull', target)
  if (after) compare(worker, one, before, answer, after)
  if (answer.ok && answer.body.status === 'merged') return over(worker, one, answer.body)
  if (answer.ok) {
    caller.diary.count('queued')
    return board.putBack(one)
  }
  if (answer.reason === 'approvals_missing' || answer.reason === 'changes_requested')
    return board.putBack(one)
  if (answer.reason === 'base_moved' && after && codesOf(after).includes('base_moved')) {
    const updated = await caller.call('update_pull_branch', target)
    if (updated.reason === 'conflicts') return close(worker, one)
    // The head of another's fork is brought up by nobody but the forge, for one that merges by
    // itself.
    if (updated.status === 403) {
      const asked = await caller.must('update_pull', { ...target, auto_merge: true })
      if (asked)
        caller.diary.note(
          'auto-merge',
          `SELECT 1 FROM events WHERE type = 'pull.merge_requested' AND data ->> 'number' = ? AND repo_id = ${REPO_ID} LIMIT 1`,
          one.number,
          repo,
        )
    } else if (!updated.ok && updated.status !== 409)
      caller.diary.surprise(
        `${caller.name}: updating ${repo}#${one.number} was refused with ${updated.status}: ${JSON.stringify(updated.body)}`,
      )
    return board.putBack(one)
  }
  if (answer.reason !== null && LATER.has(answer.reason)) return board.putBack(one)
  if (answer.reason === 'conflicts' || answer.reason === 'checks_failed') return close(worker, one)
  if (answer.status < 500)
    caller.diary.surprise(
      `${caller.name}: merging ${repo}#${one.number} was refused with ${answer.status}: ${JSON.stringify(answer.body)}`,
    )
}

/** Only what was the same before and afterwards says anything: others are at work meanwhile. */
function compare(
  { caller }: Worker,
  one: Open,
  before: Record<string, unknown>,
  answer: { ok: boolean; status: number; reason: string | null; body: Record<string, unknown> },
  after: Record<string, unknown>,
): void {
  if (answer.status !== 409 && !answer.ok) return
  const seen = codesOf(before)
  const still = JSON.stringify([
    before.updated_at,
    before.head,
    (before.base as { sha: string }).sha,
    seen,
  ])
  if (
    !answer.ok &&
    still !==
      JSON.stringify([
        after.updated_at,
        after.head,
        (after.base as { sha: string }).sha,
        codesOf(after),
      ])
  )
    return
  caller.diary.count(answer.ok ? 'merge allowed' : 'merge refused')
  const name = `${one.place.repo}#${one.number}`
  if (answer.ok && seen.includes('draft'))
    caller.diary.surprise(`${name} was merged although it was a draft`)
  // What git refuses only for one method is found by trying.
  if (
    !answer.ok &&
    answer.reason !== seen[0] &&
    !(answer.reason === 'conflicts' && seen.length === 0)
  ) {
    caller.diary.surprise(
      `${name} says ${JSON.stringify(seen)} and merging says ${answer.reason}: ${JSON.stringify(answer.body).slice(0, 400)}`,
    )
  }
}

function over({ caller, board }: Worker, one: Open, record: Record<string, unknown>): void {
  if (record.status !== 'merged') return
  board.merged.push(one)
  caller.diary.note(
    'merge',
    `SELECT 1 FROM pulls WHERE id = ? AND status = 'merged' AND merge_commit_sha = ?`,
    idOf(record),
    String(record.merge_commit_sha),
  )
}

async function close({ caller }: Worker, one: Open): Promise<void> {
  const answer = await caller.call('close_pull', { repo: one.place.repo, number: one.number })
  if (answer.ok)
    caller.diary.note(
      'close',
      `SELECT 1 FROM pulls WHERE repo_id = ${REPO_ID} AND number = ? AND status = 'closed'`,
      one.place.repo,
      one.number,
    )
  else if (answer.status !== 409)
    caller.diary.surprise(
      `${caller.name}: closing ${one.place.repo}#${one.number} was refused with ${answer.status}: ${JSON.stringify(answer.body)}`,
    )
}

/**
 * Takes back what was merged, by a pull request of its own. What was taken back is not brought
 * again.
 */
export async function revert({ caller, random, board, places }: Worker): Promise<void> {
  const fitting = board.merged.filter(({ reverts, place }) => !reverts && places.includes(place))
  const one = fitting[Math.floor(random.next() * fitting.length)]
  if (!one) return
  board.merged.splice(board.merged.indexOf(one), 1)
  const answer = await caller.call('revert_pull', { repo: one.place.repo, number: one.number })
  if (!answer.ok) {
    if (answer.status !== 409)
      caller.diary.surprise(
        `${caller.name}: reverting ${one.place.repo}#${one.number} was refused with ${answer.status}: ${JSON.stringify(answer.body)}`,
      )
    return
  }
  const pull = answer.body.pull as Record<string, unknown>
  caller.diary.given(one.place.repo, numberOf(pull), idOf(pull))
  caller.diary.note(
    'revert',
    `SELECT 1 FROM pulls WHERE id = ? AND branch = ?`,
    idOf(pull),
    `revert-${one.number}`,
  )
  board.open.push({
    place: one.place,
    number: numberOf(pull),
    author: caller.name,
    file: one.file,
    reverts: true,
    tries: 0,
  })
}

/** Pushes straight to main where that is allowed, and tries it where it is not. */
export async function pushMain(worker: Worker): Promise<void> {
  const { caller, random, board } = worker
  const place = pick(random, worker.places)
  const clone = await cloned(worker, place.repo, 'main')
  if (clone === null) return
  const name = caller.unique('pushes')
  const oid = await commitFiles(
    clone,
    { [`pushed/${name.replaceAll(' ', '-')}.txt`]: `${name}\n` },
    name,
  )
  if (random.chance(0.3)) {
    const ref = `refs/heads/locked/${name.replaceAll(' ', '-')}`
    board.forbidden.push({ repo: place.repo, ref })
    const said = await push(worker, clone, place.repo, oid, ref)
    if (said === null)
      caller.diary.surprise(`${ref} was made in ${place.repo} although a rule keeps it`)
    return
  }
  if (place.kind !== 'strict') board.pushing(place.repo, oid)
  const said = await push(worker, clone, place.repo, oid, 'refs/heads/main')
  if (said === null && place.kind === 'strict')
    caller.diary.surprise(
      `a push to main of ${place.repo} was taken although changes come by pull request`,
    )
}

/** What those do who look after a repository: the queue, rules, settings. */
export async function tend({ caller, random, places }: Worker): Promise<void> {
  const place = pick(random, places)
  const { repo } = place
  if (place.kind !== 'queued') {
    await caller.must('update_repo_settings', { repo, delete_branch_on_merge: random.chance(0.5) })
    return
  }
  if (random.chance(0.4)) {
    const paused = await caller.call('pause_merge_queue', { repo, reason: caller.unique('waits') })
    await Bun.sleep(random.between(200, 1500))
    const resumed = await caller.call('resume_merge_queue', { repo })
    for (const answer of [paused, resumed])
      if (!answer.ok && answer.status !== 409)
        caller.diary.surprise(
          `${caller.name}: the queue of ${repo} answered ${answer.status}: ${JSON.stringify(answer.body)}`,
        )
    return
  }
  const queue = await caller.must('get_merge_queue', { repo })
  const waiting = (queue?.waiting ?? []) as { pull: { number: number } }[]
  const one = waiting[Math.floor(random.next() * waiting.length)]
  if (!one) return
  const leaves = random.chance(0.3)
  const answer = leaves
    ? await caller.call('leave_merge_queue', { repo, number: one.pull.number })
    : await caller.call('move_in_merge_queue', { repo, number: one.pull.number, position: 1 })
  if (!answer.ok && answer.status !== 404 && answer.status !== 409)
    caller.diary.surprise(
      `${caller.name}: ${leaves ? 'leaving' : 'moving in'} the queue of ${repo} answered ${answer.status}: ${JSON.stringify(answer.body)}`,
    )
}
