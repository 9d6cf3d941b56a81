/** Imports from the APIs of other forges, played by stand-ins. */
import { afterAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { getIssue } from '#features/issues/get-issue.ts'
import { getIssueReactions } from '#features/issues/reactions/get-issue-reactions.ts'
import { listIssueEvents } from '#features/issues/list-issue-events.ts'
import { listCrossReferences } from '#features/notifications/references/list-cross-references.ts'
import { listIssues } from '#features/issues/list-issues.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { runImport } from '#features/imports/run-import.ts'
import { retryImport } from '#features/imports/retry-import.ts'
import { listAttachments } from '#features/attachments/list-attachments.ts'
import { getPull } from '#features/pulls/get-pull.ts'
import { listPulls } from '#features/pulls/list-pulls.ts'
import { getPullChanges } from '#features/pulls/changes/get-pull-changes.ts'
import { getReleaseByTag } from '#features/releases/get-release-by-tag.ts'
import { repoByPath } from '#features/repos/index.ts'
import { MINUTE, SECOND } from '#lib/time.ts'
import { DIALECTS, fileLinks, PICTURE, timeOf, type StandIn } from './stand-in.ts'
import { makeForgeWorld } from './forge-fixture.ts'

const it = await makeForgeWorld({ comments: 120 })
const { world, ada, open, project } = it
const standIns: StandIn[] = []
const standIn = (...args: Parameters<typeof it.standIn>): StandIn => {
  const made = it.standIn(...args)
  standIns.push(made)
  return made
}
afterAll(async () => {
  for (const one of standIns) await one.close()
})

const TABLES = [
  'records',
  'comments',
  'reviews',
  'labels',
  'milestones',
  'releases',
  'release_assets',
  'reactions',
  'record_reactions',
  'attachments',
  'attachment_texts',
  'events',
  'cross_references',
  'refs',
]
const dump = () =>
  TABLES.map((table) => world.hearth.db.all(`SELECT * FROM ${table} ORDER BY 1, 2`))

const values = (field: string, from: string[], to: string[]) => ({
  changed: [field],
  values: { [field]: { from, to } },
})

describe.each(DIALECTS)('%s', (dialect) => {
  test('everything arrives with its number, dates and people, and nobody is told', async () => {
    const peer = standIn(dialect)
    const known = new Set(world.events().map(({ id }) => id))
    const { id, repo } = await it.start(dialect, peer.url)
    await world.jobs()
    expect(await it.state(id)).toMatchObject({ state: 'done', errors: [], source: dialect })

    const issues = await world.call(listIssues, ada, { repo, state: 'all', per_page: 100 })
    expect(issues.items.map(({ number }) => number).toSorted((a, b) => a - b)).toEqual([
      1, 2, 3, 4, 5, 6, 7,
    ])
    const { issue, comments } = await world.call(getIssue, ada, { repo, number: 1 })
    expect(issue).toMatchObject({
      title: 'Record 1',
      author: { username: 'ada (imported)' },
      labels: ['defect'],
      milestone: { title: 'Next' },
      assignees: [{ username: 'zoe (imported)' }],
      locked: true,
      lock_reason: dialect === 'github_api' ? 'too heated' : null,
      created_at: timeOf(1),
      updated_at: timeOf(2),
      comments_count: project.comments,
    })
    // Links to the old place lead to the issues here, except in code.
    expect(issue.body).toStartWith('See #1 and ')
    if (dialect === 'gitlab_api') expect(issue.body).toEndWith(`#${project.issues + 1}`)
    else expect(issue.body).toContain('/ada/lamp/issues/1`')
    expect(comments.map(({ body }) => body)).toEqual(
      Array.from({ length: 100 }, (_, n) => `Remark ${n + 1}`),
    )
    expect(comments[0]).toMatchObject({
      author: { username: 'zoe (imported)' },
      reactions: { heart: 1 },
    })
    expect((await world.call(getIssue, ada, { repo, number: 2 })).issue.author.username).toBe(
      'ghost (imported)',
    )

    const pulls = await world.call(listPulls, ada, { repo, state: 'all' })
    expect(pulls.items.map(({ number, status }) => [number, status])).toEqual([
      [open + 1, 'closed'],
      [open, 'open'],
      [open - 1, 'merged'],
    ])
    const merged = await world.call(getPull, ada, { repo, number: open - 1 })
    expect(merged.pull).toMatchObject({
      merged_by: 'ada (imported)',
      merge_commit_sha: project.commits.merge,
    })
    const reviewed = await world.call(getPull, ada, { repo, number: open })
    expect(reviewed.pull.head?.sha).toBe(project.commits.head)
    expect(reviewed.comments.find(({ body }) => body === 'Why this?')).toMatchObject({
      path: 'file.txt',
      line: 1,
      side: 'new',
    })
    if (dialect !== 'gitlab_api')
      expect(reviewed.reviews).toMatchObject([
        { verdict: 'request_changes', body: 'Not yet', counted: false },
      ])
    // The diff of a merged pull request is what it changed, although its branch is gone.
    const changes = await world.call(getPullChanges, ada, { repo, number: open - 1 })
    expect(changes.files.map(({ path }) => path)).toEqual(['file.txt'])

    const release = await world.call(getReleaseByTag, ada, { repo, tag: 'v9' })
    expect(release).toMatchObject({
      name: 'Nine',
      published_at: timeOf(22),
      assets: [{ name: 'lamp.zip', size_in_bytes: 5 }],
    })

    // The next number is free for people here, and history has told nobody.
    expect((await world.call(createIssue, ada, { repo, title: 'New here' })).number).toBe(open + 2)
    expect(world.hearth.db.all('SELECT * FROM notifications')).toEqual([])
    // Events of the past are in the timeline, and nothing reacted to them.
    const told = world
      .events()
      .filter(({ id, time }) => !known.has(id) && time > timeOf(100))
      .map(({ type }) => type)
    expect(told.filter((type) => !/^(repo|git)\./.test(type))).toEqual(['issue.opened'])
  })

  test('reactions and what happened to a record arrive with their time and person', async () => {
    const peer = standIn(dialect)
    const { repo } = await it.start(dialect, peer.url)
    await world.jobs()
    expect(await world.call(getIssueReactions, ada, { repo, number: 1 })).toMatchObject({
      '+1': 1,
      rocket: 1,
      heart: 0,
    })
    const told = async (number: number) => {
      const { items } = await world.call(listIssueEvents, ada, { repo, number })
      return items.toReversed().map(({ type, time, actor, data }) => {
        const { number: _, issue: __, head: ___, ...rest } = data
        return [type, time, actor?.username, rest]
      })
    }
    const ada_ = 'ada (imported)'
    const zoe = 'zoe (imported)'
    expect(await told(1)).toEqual([
      ['issue.updated', timeOf(3), zoe, values('labels', [], ['defect'])],
      ['issue.updated', timeOf(4), ada_, values('milestone', [], ['Next'])],
      [
        'issue.assigned',
        timeOf(5),
        ada_,
        { assignees: [zoe], values: { assignees: { from: [], to: [zoe] } } },
      ],
      ['issue.updated', timeOf(6), ada_, values('title', ['Old'], ['Record 1'])],
      [
        'issue.closed',
        timeOf(8),
        'ghost (imported)',
        { reason: dialect === 'github_api' ? 'not_planned' : 'completed', resolved_by: null },
      ],
      ['issue.reopened', timeOf(9), ada_, {}],
      ['issue.updated', timeOf(10), ada_, { changed: ['locked'] }],
    ])
    const { items } = await world.call(listCrossReferences, ada, { repo, target: '1' })
    expect(items).toMatchObject([{ number: 3, created_at: timeOf(7), actor: { username: zoe } }])
    expect(await told(open - 1)).toContainEqual([
      'pull.merged',
      timeOf(13),
      ada_,
      { commit: project.commits.merge, method: null, merged_by: ada_ },
    ])
    if (dialect === 'github_api')
      expect(await told(open)).toEqual([
        ['pull.updated', timeOf(11), ada_, { changed: ['status'] }],
        ['pull.ready', timeOf(12), ada_, {}],
      ])
    if (dialect === 'gitea_api')
      expect(await told(open)).toEqual([
        ['pull.updated', timeOf(11), ada_, values('base', ['next'], ['main'])],
      ])
  })

  test('files of texts become attachments; one that is gone stays a link and is counted', async () => {
    const peer = standIn(dialect, { files: true })
    const { id, repo } = await it.start(dialect, peer.url)
    await world.jobs()
    const { issue } = await world.call(getIssue, ada, { repo, number: 4 })
    const [here, gone] = fileLinks(dialect, new URL(peer.url).origin)
    const [attachment, ...others] = (await world.call(listAttachments, ada, { repo })).items
    expect(others).toEqual([])
    expect(attachment).toMatchObject({
      name: 'shot.png',
      content_type: 'image/png',
      size_in_bytes: PICTURE.length,
      sha256: createHash('sha256').update(PICTURE).digest('hex'),
      created_by: { username: 'zoe (imported)' },
      created_at: timeOf(4),
    })
    const address = attachment?.url.slice(world.hearth.settings.site_url.length)
    expect(issue.body).toBe(`![shot](${address}) and <img src="${gone}">\n\n\`${here}\``)
    // A text names it, so readers of the text see it, and it is not swept.
    expect(
      world.hearth.db.one(
        'SELECT unused_since, text_id FROM attachments, attachment_texts WHERE id = attachment_id AND id = ?',
        attachment?.id ?? '',
      ),
    ).toEqual({ unused_since: null, text_id: issue.id })
    const state = await it.state(id)
    expect(state.steps.find(({ name }) => name === 'attachments')).toEqual({
      name: 'attachments',
      done: 1,
      total: 2,
      state: 'done_with_errors',
    })
    expect(state.errors).toEqual([`#4: ${gone} stays a link: status 404`])
  })

  test('a second run changes nothing', async () => {
    const peer = standIn(dialect, { files: true })
    const { id, repo } = await it.start(dialect, peer.url)
    await world.jobs()
    const before = dump()
    const again = await world.call(retryImport, ada, { id })
    await world.jobs()
    // What is there is not fetched again, and what is gone is not told again.
    expect(await it.state(again.id)).toMatchObject({ state: 'done', errors: [], repo })
    expect(dump()).toEqual(before)
  })

  test('a process that ends right after the last page of a list reads none of it again', async () => {
    const peer = standIn(dialect)
    const { id } = await it.start(dialect, peer.url)
    await world.jobs()
    const [before, asked] = [dump(), peer.asked.length]
    await world.write((tx) => {
      tx.db.run(
        `UPDATE import_steps SET state = 'running' WHERE import_id = ? AND cursor = 'end'`,
        id,
      )
      tx.db.run(`UPDATE imports SET state = 'running', finished_at = NULL WHERE id = ?`, id)
      tx.enqueue(runImport, { id }, { key: id })
    })
    await world.jobs()
    expect(await it.state(id)).toMatchObject({ state: 'done', errors: [] })
    expect(peer.asked.slice(asked)).toEqual([])
    expect(dump()).toEqual(before)
  })
})

test('a secondary limit is waited out, and the import goes on where it was', async () => {
  let count = 0
  const limited = standIn('github_api', {
    instead: (path) =>
      path === '/pulls' && ++count === 2
        ? new Response('{}', { status: 403, headers: { 'retry-after': '300' } })
        : null,
  })
  const { id } = await it.start('github_api', limited.url)
  await world.jobs()
  const waiting = await it.state(id)
  expect(waiting).toMatchObject({ state: 'waiting_for_limit' })
  expect(waiting.errors).toEqual([expect.stringContaining('asks to wait')])
  const wait = Date.parse(waiting.resume_at ?? '') - world.clock.now()
  expect(wait).toBeGreaterThan(300 * SECOND)
  expect(wait).toBeLessThan(331 * SECOND)
  const before = limited.asked.length
  world.clock.advance(4 * MINUTE)
  await world.jobs()
  expect(limited.asked.length).toBe(before)
  world.clock.advance(2 * MINUTE)
  await world.jobs()
  expect(await it.state(id)).toMatchObject({ state: 'done', errors: [] })
  // What had come was not asked for again.
  expect(limited.asked.slice(before).some((path) => path.includes('/labels'))).toBe(false)
})

test('a limit that GitHub tells in its message alone is waited out for a minute', async () => {
  let count = 0
  const peer = standIn('github_api', {
    instead: (path) =>
      path === '/labels' && ++count === 1
        ? Response.json(
            { message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' },
            {
              status: 403,
              headers: { 'x-ratelimit-remaining': '4000', 'x-ratelimit-reset': '4000000000' },
            },
          )
        : null,
  })
  const { id } = await it.start('github_api', peer.url)
  await world.jobs()
  expect(await it.state(id)).toMatchObject({ state: 'waiting_for_limit' })
  world.clock.advance(2 * MINUTE)
  await world.jobs()
  expect(await it.state(id)).toMatchObject({ state: 'done', errors: [] })
})

test('requests share a connection, and those that fail for a moment are sent again', async () => {
  const failures = new Map<string, () => Response>([
    ['/labels', () => new Response(null, { status: 502 })],
    ['/issues', () => new Response('{}', { status: 429, headers: { 'retry-after': '0' } })],
  ])
  const peer = standIn('github_api', {
    instead: (path) => {
      const failure = failures.get(path)
      failures.delete(path)
      return failure?.() ?? null
    },
  })
  const { id } = await it.start('github_api', peer.url)
  await world.jobs()
  // It never went back to the queue, in which it would wait for the clock.
  expect(await it.state(id)).toMatchObject({ state: 'done', errors: [], resume_at: null })
  expect(failures.size).toBe(0)
  // A failed answer ends its connection.
  expect(peer.asked.length).toBeGreaterThan(20)
  expect(peer.ports.size).toBeLessThan(8)
})

test('a record that the other forge always fails at is named, and the others have their history', async () => {
  const peer = standIn('github_api', {
    instead: (path) => (path === '/issues/2/timeline' ? new Response(null, { status: 502 }) : null),
  })
  const { id, repo } = await it.start('github_api', peer.url)
  const eventsOf = async (number: number) =>
    (await world.call(listIssueEvents, ada, { repo, number })).items.length
  for (const wait of [0, 11 * SECOND, MINUTE + SECOND]) {
    world.clock.advance(wait)
    await world.jobs()
    expect(await it.state(id)).toMatchObject({ state: 'queued' })
  }
  world.clock.advance(6 * MINUTE)
  await world.jobs()
  expect(await it.state(id)).toMatchObject({
    state: 'done_with_errors',
    errors: [expect.stringMatching(/^#2: .* status 502$/)],
  })
  expect(await eventsOf(1)).toBeGreaterThan(5)
  expect(await eventsOf(it.open)).toBeGreaterThan(1)
  expect(peer.asked.some((path) => path.includes('/releases'))).toBe(true)
})

test('an outage leaves out one record after all attempts, not those that follow', async () => {
  let isDown = true
  const peer = standIn('github_api', {
    instead: (path) =>
      isDown && /^\/issues\/[2-9]\/timeline$/.test(path)
        ? new Response(null, { status: 503 })
        : null,
  })
  const { id } = await it.start('github_api', peer.url)
  for (const wait of [0, 11 * SECOND, MINUTE + SECOND, 6 * MINUTE]) {
    world.clock.advance(wait)
    await world.jobs()
  }
  const [first, ...more] = (await it.state(id)).errors
  expect(await it.state(id)).toMatchObject({ state: 'queued' })
  expect(first).toContain('#2: ')
  expect(more.join(' ')).not.toContain('#3: ')
  isDown = false
  world.clock.advance(11 * SECOND)
  await world.jobs()
  expect(await it.state(id)).toMatchObject({
    state: 'done_with_errors',
    errors: [expect.stringContaining('#2: ')],
  })
})

test('GitHub is asked for no more after a wait than before it', async () => {
  let count = 0
  const peer = standIn('github_api', {
    instead: (path) =>
      path === '/issues/1/comments' && ++count === 1
        ? new Response('{}', { status: 403, headers: { 'retry-after': '300' } })
        : null,
  })
  const { id } = await it.start('github_api', peer.url)
  await world.jobs()
  expect(await it.state(id)).toMatchObject({ state: 'waiting_for_limit' })
  world.clock.advance(6 * MINUTE)
  await world.jobs()
  expect(await it.state(id)).toMatchObject({ state: 'done', errors: [] })
  const asked = (list: string) => peer.asked.filter((path) => path.includes(list))
  expect(
    asked('/comments?').every((path) => path.includes('/issues/1/') || path.includes('/pulls/')),
  ).toBe(true)
  expect(asked('/reactions?').every((path) => /\/(issues|comments)\/1\//.test(path))).toBe(true)
})

test('GitHub is asked by the cursors of its links, because it refuses high page numbers', async () => {
  const peer = standIn('github_api', { maxPerPage: 2, maxNumberedPages: 2 })
  const { id, repo } = await it.start('github_api', peer.url)
  await world.jobs()
  expect(await it.state(id)).toMatchObject({ state: 'done', errors: [] })
  const { items } = await world.call(listIssues, ada, { repo, state: 'all', per_page: 100 })
  expect(items).toHaveLength(project.issues)
  expect(peer.asked.filter((path) => path.includes('&page=5&after='))).not.toHaveLength(0)
})

test('GitLab is asked by cursors, which lists beyond 50,000 issues need, and an earlier one by numbers', async () => {
  for (const [hasKeyset, next] of [
    [true, '&cursor='],
    [false, '&page=4'],
  ] as const) {
    const peer = standIn('gitlab_api', { maxPerPage: 2, maxNumberedPages: 2, hasKeyset })
    const { id, repo } = await it.start('gitlab_api', peer.url)
    await world.jobs()
    expect(await it.state(id)).toMatchObject({ state: 'done', errors: [] })
    const { items } = await world.call(listIssues, ada, { repo, state: 'all', per_page: 100 })
    expect(items).toHaveLength(project.issues)
    const pages = peer.asked.filter((path) =>
      path.includes('/issues?scope=all&order_by=created_at&sort=asc'),
    )
    expect(pages.at(-1)).toContain(next)
    expect(pages).toHaveLength(Math.ceil(project.issues / 2))
  }
})

test('GitLab is asked for merge requests from a time on, behind many pages', async () => {
  let lists = 0
  const peer = standIn('gitlab_api', {
    instead: (path) =>
      // The first is asked for the highest number, the second for the list.
      path === '/merge_requests' && ++lists === 2
        ? Response.json([{ iid: 1, created_at: '2026-01-02T03:04:05.678Z' }], {
            headers: { 'x-next-page': '101' },
          })
        : null,
  })
  const { id, repo } = await it.start('gitlab_api', peer.url)
  await world.jobs()
  expect(await it.state(id)).toMatchObject({ state: 'done', errors: [] })
  const { items } = await world.call(listPulls, ada, { repo, state: 'all', per_page: 100 })
  expect(items).toHaveLength(3)
  const asked = peer.asked.filter((path) => /merge_requests\?.*sort=asc/.test(path))
  expect(asked).toHaveLength(2)
  expect(asked[1]).toContain('created_after=2026-01-02T03:04:05.678Z&')
  expect(asked[1]).toMatch(/&page=1$/)
})

test('a part that stays broken is named, and the others arrive', async () => {
  const peer = standIn('gitea_api', {
    instead: (path) => (path === '/releases' ? new Response(null, { status: 502 }) : null),
  })
  const { id, repo } = await it.start('gitea_api', peer.url)
  for (const wait of [0, 11 * SECOND, MINUTE + SECOND, 6 * MINUTE]) {
    world.clock.advance(wait)
    await world.jobs()
  }
  const ended = await it.state(id)
  expect(ended).toMatchObject({
    state: 'done_with_errors',
    errors: [expect.stringContaining('releases: ')],
  })
  expect((await world.call(listIssues, ada, { repo, state: 'all' })).items).toHaveLength(7)
})

test('Gitea is given a name with its password as the API takes them', async () => {
  const peer = standIn('gitea_api', { token: btoa('ada:right') })
  const { id } = await it.start('gitea_api', peer.url, { token: 'ada:right' })
  await world.jobs()
  expect(await it.state(id)).toMatchObject({ state: 'done', errors: [] })
})

test('a token that is refused ends the import at once', async () => {
  const peer = standIn('gitea_api', { token: 'right' })
  const { id, repo } = await it.start('gitea_api', peer.url, { token: 'wrong' })
  await world.jobs()
  expect(await it.state(id)).toMatchObject({
    state: 'failed',
    errors: [expect.stringContaining('token')],
  })
  expect(peer.asked).toHaveLength(1)
  expect(
    world.hearth.db.one<{ secret: null }>('SELECT secret FROM imports WHERE id = ?', id)?.secret,
  ).toBeNull()
  expect(repoByPath(world.hearth.db, repo)).not.toBeNull()
})

test('GitHub is not asked for comments and reactions that its list counts none of', async () => {
  const peer = standIn('github_api')
  const { id } = await it.start('github_api', peer.url)
  await world.jobs()
  expect(await it.state(id)).toMatchObject({ state: 'done' })
  const asked = (list: string): string[] =>
    peer.asked.flatMap((path) => new RegExp(`/issues/(\\d+)/${list}`).exec(path)?.[1] ?? [])
  expect(new Set(asked('comments'))).toEqual(new Set(['1']))
  expect(asked('reactions')).toEqual(['1'])
})

test('an answer that is no JSON, or too long, ends the import with a reason', async () => {
  const odd = standIn('gitea_api', { instead: () => new Response('<html>') })
  const { id } = await it.start('gitea_api', odd.url)
  const endless = standIn('gitea_api', {
    instead: () => new Response(`[${'1,'.repeat(20 << 20)}1]`),
  })
  const { id: second } = await it.start('gitea_api', endless.url)
  const crowded = standIn('gitea_api', {
    instead: () => new Response(`[${'{},'.repeat(300_000)}{}]`),
  })
  const { id: third } = await it.start('gitea_api', crowded.url)
  await world.jobs()
  expect(await it.state(id)).toMatchObject({
    state: 'failed',
    errors: [expect.stringContaining('JSON')],
  })
  expect(await it.state(second)).toMatchObject({ state: 'failed' })
  expect(await it.state(third)).toMatchObject({
    state: 'failed',
    errors: [expect.stringContaining('too many values')],
  })
})

test('a list whose pages lead to themselves ends', async () => {
  const circle = standIn('gitlab_api', {
    instead: (path, count) =>
      path.endsWith('/labels') && count < 1000
        ? Response.json([], { headers: { 'x-next-page': '2' } })
        : null,
  })
  const { id } = await it.start('gitlab_api', circle.url)
  await world.jobs()
  expect(await it.state(id)).toMatchObject({
    state: 'done_with_errors',
    errors: [expect.stringContaining('does not end')],
  })
})

test('the comments of one record never fill the memory', async () => {
  const filler = JSON.stringify([{ id: 1, body: 'x'.repeat(20 << 20) }])
  const long = standIn('gitlab_api', {
    instead: (path) =>
      path.endsWith('/issues/1/notes')
        ? new Response(filler, { headers: { 'x-next-page': '2' } })
        : null,
  })
  const { id } = await it.start('gitlab_api', long.url)
  await world.jobs()
  expect(long.asked.filter((path) => path.includes('/issues/1/notes?')).length).toBeLessThan(10)
  // Notes of the system are in the same list.
  expect((await it.state(id)).errors).toEqual([
    expect.stringContaining('comments: a list is longer than 64 MiB'),
    expect.stringContaining('timeline: a list is longer than 64 MiB'),
  ])
})

test('a number that no issue here can have is not reserved', async () => {
  const huge = standIn('github_api', {
    instead: (path) =>
      /\/(issues|pulls)$/.test(path) ? Response.json([{ number: 2 ** 53 - 2 }]) : null,
  })
  const { id, repo } = await it.start('github_api', huge.url)
  await world.jobs()
  expect((await it.state(id)).state).toBe('failed')
  const next = world.hearth.db.one<{ next_number: number }>(
    'SELECT next_number FROM repos WHERE id = ?',
    repoByPath(world.hearth.db, repo)?.id ?? '',
  )
  expect(next?.next_number).toBe(1)
})

test('a thread with more comments than one transaction holds arrives whole', async () => {
  const remark = (id: number) => ({
    id,
    body: `Line ${id}`,
    author: { id: 7, username: 'zoe' },
    system: false,
    created_at: timeOf(21),
    updated_at: timeOf(21),
    position: { new_path: 'file.txt', new_line: 1, head_sha: project.commits.head },
  })
  const notes = Array.from({ length: 120 }, (_, n) => remark(n + 1_001))
  const peer = standIn('gitlab_api', {
    instead: (path) =>
      path.includes('/merge_requests/2/discussions') ? Response.json([{ id: 'abc', notes }]) : null,
  })
  const { repo } = await it.start('gitlab_api', peer.url)
  await world.jobs()
  const { id: repo_id } = repoByPath(world.hearth.db, repo) ?? { id: '' }
  const comments = world.hearth.db.all<{ body: string; in_reply_to: string | null }>(
    `SELECT body, in_reply_to FROM comments WHERE repo_id = ? AND path = 'file.txt' ORDER BY id`,
    repo_id,
  )
  expect(comments.map(({ body }) => body)).toEqual(notes.map(({ body }) => body))
  expect(new Set(comments.slice(1).map((one) => one.in_reply_to)).size).toBe(1)
})

test('only what was asked for arrives', async () => {
  const peer = standIn('gitea_api')
  const { id, repo } = await it.start('gitea_api', peer.url, { include: ['code', 'issues'] })
  await world.jobs()
  expect((await it.state(id)).steps.map(({ name }) => name)).toEqual([
    'code',
    'issues',
    'attachments',
  ])
  expect((await world.call(listPulls, ada, { repo, state: 'all' })).items).toEqual([])
  expect([...it.refs(repo).keys()].some((name) => name.startsWith('refs/pull/'))).toBe(false)
})
